#include "tests/e2e/screen.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>

#include "tests/e2e/run_facts.h"
#include "tests/support/run_program.h"

namespace weir::test {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::milliseconds kLook(20);

// A shell with job control, so that Ctrl-Z and fg are what they are for a user. Behind each command it sets
// the title of the window: how many have ended, and the exit code of the last. The title takes the same way
// as the output, so whoever sees it knows that all that the command wrote is on the screen; a file would be
// there earlier.
std::string start_script(const TempProject& project, const std::vector<std::string>& variables) {
  std::string script = "unset CI GITHUB_ACTIONS GITLAB_CI NO_COLOR WEIR_LOG\nexport WEIR_CACHE_DIR='" +
                       project.cache() + "' XDG_CONFIG_HOME='" + project.path() + "/.config' WEIR_TRUST=1\n";
  for (const auto& variable : variables)
    script += (variable.find('=') == variable.npos ? "unset " : "export ") + variable + "\n";
  return script + "cd '" + project.path() +
         "'\nPS1='$ '\nended=0\nPROMPT_COMMAND='printf \"\\033]2;ended %d %d\\007\" $((++ended)) $?'\n";
}

}  // namespace

Screen::Screen(TempProject& project, std::size_t columns, std::size_t rows, const std::string& arguments,
               std::vector<std::string> variables)
    : folder_(project.path() + "/.screen") {
  fs::create_directories(folder_);
  project.file(".screen/start", start_script(project, variables));
  const auto size = [](std::size_t number) { return std::to_string(number); };
  static int screens = 0;
  socket_ = folder_ + "/tmux-" + std::to_string(++screens);
  tmux({"-f", "/dev/null", "new-session", "-d", "-x", size(columns), "-y", size(rows), "cat"});
  tmux({"set-option", "-g", "status", "off"});
  tmux({"set-option", "-g", "remain-on-exit", "on"});
  tmux({"set-option", "-g", "window-size", "manual"});
  resize(columns, rows);
  tmux({"respawn-pane", "-k", "bash", "--noprofile", "--rcfile", folder_ + "/start", "-i"});
  exit();
  command("clear; " WEIR_BINARY " " + arguments);
}

void Screen::command(const std::string& text) {
  ++commands_;
  line(text);
}

Screen::~Screen() { tmux({"kill-server"}); }

std::string Screen::tmux(std::vector<std::string> words) const {
  words.insert(words.begin(), {"tmux", "-u", "-S", socket_});
  return run_program(folder_, words);
}

void Screen::press(const std::string& keys) const { tmux({"send-keys", keys}); }
void Screen::type(const std::string& text) const { tmux({"send-keys", "-l", text}); }
void Screen::resize(std::size_t columns, std::size_t rows) const {
  tmux({"resize-window", "-x", std::to_string(columns), "-y", std::to_string(rows)});
}

std::string Screen::text() const {
  auto text = tmux({"capture-pane", "-p"});
  while (text.ends_with("\n\n")) text.pop_back();
  return text == "\n" ? "" : text;
}
std::string Screen::history() const { return tmux({"capture-pane", "-p", "-J", "-S", "-"}); }
std::vector<std::string> Screen::lines() const { return lines_of(text()); }

bool Screen::shows(const std::string& what) const {
  return eventually([&] { return text().find(what) != std::string::npos; }, kLook);
}
bool Screen::shows(const std::function<bool(const std::vector<std::string>&)>& is_so) const {
  return eventually([&] { return is_so(lines()); }, kLook);
}

int Screen::exit() const {
  std::size_t ended = 0;
  int code = -1;
  const auto has_ended = [&] {
    const auto title = tmux({"display-message", "-p", "#{pane_title}"});
    return std::sscanf(title.c_str(), "ended %zu %d", &ended, &code) == 2 && ended > commands_;
  };
  return eventually(has_ended, kLook) ? code : -1;
}

}  // namespace weir::test
