// A project whose artifacts are shared through a remote, and what its runs did with it.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

#include "core/store/digest.h"
#include "tests/e2e/project_texts.h"
#include "tests/support/nginx.h"
#include "tests/support/run_program.h"

namespace weir::test {

// Patient: a busy machine is not what these tests are about.
inline std::string remote_table(const std::string& url, const std::string& more = "push = true\n") {
  return "[[remote]]\nurl = " + toml_text(url) + "\nconnect-timeout = \"30s\"\n" + more;
}

// data and tool at the bottom; lib is built with tool; app needs lib to be built and data to be run; all is
// the whole.
//   tool      an executable, a link, an empty folder, an empty file, and a file that data has as well
//   lib       drops remarks, so not every change of its source changes its output
inline std::string shared_elements(const std::string& data_source) {
  return R"(
[element.data]
kind = "import"
source = [{kind = "local", path = "data"}, )" +
         data_source + R"(]
[element.tool]
kind = "script"
config.commands = ['''
mkdir -p "$WEIR_OUT/bin" "$WEIR_OUT/empty/inner" "$WEIR_OUT/share"
printf '#!/bin/sh\nexec sed "s/^/tool: /" "$@"\n' > "$WEIR_OUT/bin/tool"
chmod +x "$WEIR_OUT/bin/tool"
ln -s bin/tool "$WEIR_OUT/link"
: > "$WEIR_OUT/nothing"
printf 'in two elements\n' > "$WEIR_OUT/share/same"
''']
[element.lib]
kind = "script"
build-depends = ["tool"]
source = [{kind = "local", path = "lib"}]
config.commands = ["grep -v '^#' text | /weir/link > $WEIR_OUT/lib"]
[element.app]
kind = "script"
depends = ["lib"]
runtime-depends = ["data"]
config.commands = ["echo so it was built", "cat /weir/lib /weir/lib > $WEIR_OUT/app"]
[element.all]
kind = "stack"
depends = ["app"]
)";
}

inline std::string file_source(const std::string& url, const std::string& body) {
  return "{ kind = \"file\", url = " + toml_text(url) + ", name = \"fetched\", ref = \"" +
         store::digest_of(body).hex() + "\" }";
}

// Beside weir.toml; the same for all who share.
inline void add_shared_files(TempProject& project, const std::string& lib = "text\n") {
  project.file("data/share/same", "in two elements\n").file("data/plain", "plain\n").file("lib/text", lib);
}

// Elements that had a job in the queue which ended like this (or that started, without a result), by name,
// with spaces between.
inline std::string elements_in(const Finished& finished, const std::string& queue,
                               const std::string& result = {}) {
  std::set<std::string> names;
  for (const auto& line : lines_of(finished.out))
    if (field(line, "queue") == queue &&
        (result.empty() ? field(line, "ev") == "job.start"
                        : field(line, "ev") == "job.end" && field(line, "result") == result))
      names.insert(field(line, "element"));
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : " ") + name;
  return all;
}
inline std::string pulled(const RunFacts& run) { return elements_in(run.finished, "pull", "succeeded"); }
inline std::string pushed(const RunFacts& run) { return elements_in(run.finished, "push", "succeeded"); }
inline std::string fetched(const RunFacts& run) { return elements_in(run.finished, "fetch"); }

// The events of that name.
inline std::vector<std::string> events_of(const RunFacts& run, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& line : lines_of(run.finished.out))
    if (field(line, "ev") == name) found.push_back(line);
  return found;
}

// A number of the last event: "pulled" of run.end.
inline int count_of(const RunFacts& run, const std::string& name) {
  const auto lines = lines_of(run.finished.out);
  if (lines.empty()) return -1;
  const auto at = lines.back().find("\"" + name + "\":");
  return at == std::string::npos ? -1 : std::stoi(lines.back().substr(at + name.size() + 3));
}

// weir COMMAND with its events, for those that are not `build`.
inline RunFacts run_weir(const TempProject& project, std::vector<std::string> words) {
  words.insert(words.begin(), "-q");
  words.insert(words.end(), {"--events", "-"});
  return facts_of(weir(project, std::move(words)));
}

// What a folder holds: modes, links and contents, a line each.
inline std::string picture_of(const std::string& folder) {
  std::map<std::string, std::string> lines;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    struct stat status {};
    ::lstat(entry.path().c_str(), &status);
    auto& line = lines[entry.path().lexically_relative(folder).string()];
    line = fmt::format("{:o}", status.st_mode);
    if (entry.is_symlink()) line += " -> " + std::filesystem::read_symlink(entry.path()).string();
    else if (entry.is_regular_file()) line += " = " + content(entry.path());
  }
  std::string text;
  for (const auto& [name, line] : lines) text += name + " " + line + "\n";
  return text;
}

// An artifact as it comes out of the store.
inline std::string artifact_picture(const TempProject& project, const std::string& element) {
  const auto folder = project.path() + "/.checkout-" + element;
  std::filesystem::remove_all(folder);
  const auto done = weir(project, {"checkout", element, folder});
  return done.exit == 0 ? picture_of(folder) : "exit " + std::to_string(done.exit) + ": " + done.err;
}

// nginx as it is set up for weir, and what was asked of it.
class NginxRemote {
 public:
  explicit NginxRemote(const std::string& more = {})
      : nginx_("access_log access.log; " + more + Nginx::kTakesUploads) {}

  bool running() const { return nginx_.running(); }
  std::string errors() const { return nginx_.errors(); }
  const Nginx& nginx() const { return nginx_; }
  std::string url(const std::string& path = "/") const { return nginx_.url(path); }
  std::string folder() const { return nginx_.folder / "www"; }

  // "PUT /cas/...", in order, since the last call. A line is written after its answer was sent, by a single
  // process: once that of a later request is there, all are.
  std::vector<std::string> requests() {
    const auto mark = "/mark-" + std::to_string(++marks_);
    run_program("/", {"curl", "--silent", "--noproxy", "*", nginx_.url(mark)});
    std::string log;
    eventually(
        [&] { return (log = nginx_.folder.read("access.log")).find(mark + " ") != std::string::npos; });
    std::vector<std::string> found;
    for (const auto& line : lines_of(log.substr(seen_))) {
      const auto begin = line.find('"') + 1;
      const auto request = line.substr(begin, line.find(" HTTP/") - begin);
      if (request.find("/mark-") == std::string::npos) found.push_back(request);
    }
    seen_ = log.size();
    return found;
  }

 private:
  Nginx nginx_;
  std::size_t seen_ = 0;
  int marks_ = 0;
};

inline std::size_t count_starting(const std::vector<std::string>& requests, const std::string& start) {
  return static_cast<std::size_t>(std::count_if(requests.begin(), requests.end(),
                                                [&](const auto& one) { return one.starts_with(start); }));
}

}  // namespace weir::test
