// What is written from the table of commands knows all that is in it.
#include <functional>
#include <sstream>

#include "core/cli/command_tree.h"
#include "core/cli/completion_scripts.h"
#include "core/cli/help_text.h"
#include "core/cli/man_page.h"

namespace weir::cli {
namespace {

const CommandHelp& weir_help() {
  static const CommandTree tree;
  return tree.help();
}

void for_each(Lineage commands, const std::function<void(const Lineage&)>& call) {
  call(commands);
  for (const auto& command : commands.back()->commands) {
    auto below = commands;
    below.push_back(&command);
    for_each(below, call);
  }
}
void for_each_command(const std::function<void(const Lineage&)>& call) { for_each({&weir_help()}, call); }

bool holds(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::string without_backslashes(std::string text) {
  std::erase(text, '\\');
  return text;
}

TEST(Help, every_command_has_its_line_its_words_and_its_options) {
  for_each_command([](const Lineage& commands) {
    const auto& command = *commands.back();
    const auto text = help_text(commands);
    EXPECT_TRUE(holds(text, "Usage: " + usage_of(command) + "\n")) << text;
    for (const auto& below : command.commands)
      EXPECT_EQ(holds(text, "\n  " + below.name()), below.listed()) << below.name();
    for (const auto& word : command.words) EXPECT_TRUE(holds(text, "\n  " + word.value.name)) << text;
    for (const auto* whose : commands)
      for (const auto& option : whose->options)
        EXPECT_TRUE(holds(text, usage_of(option))) << usage_of(option) << "\n" << text;
  });
}

TEST(Help, no_line_is_wider_than_80_columns_or_ends_in_a_blank) {
  for_each_command([](const Lineage& commands) {
    std::istringstream lines(help_text(commands));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(line.size(), 80u) << full_name(*commands.back()) << ": " << line;
      EXPECT_FALSE(line.ends_with(' ')) << full_name(*commands.back()) << ": " << line;
    }
  });
}

TEST(Help, everything_is_explained) {
  for_each_command([](const Lineage& commands) {
    const auto& command = *commands.back();
    EXPECT_FALSE(command.what.empty()) << full_name(command);
    for (const auto& option : command.options) {
      EXPECT_FALSE(option.text.empty()) << full_name(command) << " " << option.name();
      EXPECT_FALSE(option.value && option.value->name.empty()) << full_name(command) << " " << option.name();
    }
    for (const auto& word : command.words)
      EXPECT_FALSE(word.text.empty() || word.value.name.empty()) << full_name(command);
    EXPECT_FALSE(commands.size() == 2 && command.examples.empty()) << full_name(command);
  });
}

// fish looks at the name of an option alone to know whether a value follows.
TEST(Help, an_option_takes_a_value_in_every_command_or_in_none) {
  std::map<std::string, bool> valued;
  for_each_command([&](const Lineage& commands) {
    for (const auto& option : commands.back()->options)
      for (const auto& name : option.names)
        EXPECT_EQ(valued.emplace(name, option.value.has_value()).first->second, option.value.has_value())
            << name;
  });
}

TEST(Help, choices_and_usual_values_are_said_once) {
  EXPECT_EQ(full_text(OptionHelp{{"--x"}, ValueHelp{"X", {"a", "b"}, {}}, "which", "b", {}}),
            "which: a or b (b if not given)");
  EXPECT_EQ(full_text(OptionHelp{{"--x"}, ValueHelp{"X", {"red", "blue"}, {}}, "red, or even blue", "", {}}),
            "red, or even blue");
  EXPECT_EQ(full_text(OptionHelp{{"--x"}, std::nullopt, "does it", "", {}}), "does it");
}

TEST(Help, text_is_wrapped_at_blanks) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("unbreakable x", 4), (Lines{"unbreakable", "x"}));
  EXPECT_EQ(wrapped("", 4), Lines{""});
}

TEST(ManPage, has_every_command_and_option) {
  for_each_command([](const Lineage& commands) {
    const auto& command = *commands.back();
    if (commands.size() > 1 && !command.listed()) return;
    // Families are told of on the page of their parent.
    const auto page =
        without_backslashes(man_page(weir_help(), commands.size() > 1 ? *commands[1] : *commands[0]));
    EXPECT_TRUE(holds(page, full_name(command))) << full_name(command);
    for (const auto& option : command.options)
      for (const auto& name : option.names)
        EXPECT_TRUE(holds(page, "fB" + name + "fR")) << full_name(command) << " " << name;
    for (const auto& word : command.words)
      EXPECT_TRUE(holds(page, "fI" + word.value.name)) << full_name(command);
  });
}

TEST(ManPage, text_is_never_taken_for_a_request) {
  CommandHelp root;
  root.path = {"weir"};
  root.what = "a \\fBtrap\\fR";
  root.details = ".SH TRAP\n\n'br";
  root.examples = ".so /etc/passwd\nweir -x 'y' ~ ^ `";
  const auto page = man_page(root, root);
  EXPECT_TRUE(holds(page, "weir \\- a \\efBtrap\\efR\n")) << page;
  EXPECT_TRUE(holds(page, "\n\\&.SH TRAP\n.PP\n\\&\\(aqbr\n")) << page;
  EXPECT_TRUE(holds(page, "\n\\&.so /etc/passwd\nweir \\-x \\(aqy\\(aq \\(ti \\(ha \\(ga\n")) << page;
}

TEST(CompletionScripts, have_every_command_and_option) {
  const auto bash = bash_completion(weir_help()), zsh = zsh_completion(weir_help()),
             fish = fish_completion(weir_help());
  for_each_command([&](const Lineage& commands) {
    const auto& command = *commands.back();
    if (commands.size() > 1 && !command.listed()) return;
    const auto path = joined({command.path.begin() + 1, command.path.end()});
    const auto line =
        bash.find(path.find(' ') == path.npos && !path.empty() ? "\n    " + path + ") found=("
                                                               : "\n    '" + path + "') found=(");
    ASSERT_NE(line, bash.npos) << path;
    const auto offered = bash.substr(line + 1, bash.find('\n', line + 1) - line);
    auto function = "\n_weir_of_weir" + (path.empty() ? "" : "_" + path) + "()";
    std::replace(function.begin(), function.end(), ' ', '_');
    const auto start = zsh.find(function);
    ASSERT_NE(start, zsh.npos) << function;
    const auto body = zsh.substr(start, zsh.find("\n}\n", start) - start);
    for (const auto& option : command.options) {
      for (const auto& name : option.names) {
        EXPECT_TRUE(holds(offered, " " + name) || holds(offered, "(" + name)) << path << " " << name;
        EXPECT_TRUE(holds(body, ")" + name)) << path << " " << name;
        EXPECT_TRUE(holds(
            fish, name.starts_with("--") ? " -l " + name.substr(2) + " " : " -s " + name.substr(1) + " "))
            << path << " " << name;
      }
    }
    for (const auto& below : command.commands) {
      if (!below.listed()) continue;
      EXPECT_TRUE(holds(body, below.name() + ":")) << path << " " << below.name();
      EXPECT_TRUE(holds(fish, " -a " + below.name() + " ")) << path << " " << below.name();
    }
  });
}

TEST(CompletionScripts, do_not_tell_of_what_is_not_listed) {
  const auto& completion = *weir_help().command("completion");
  ASSERT_TRUE(completion.command("elements"));
  EXPECT_FALSE(completion.command("elements")->listed());
  EXPECT_FALSE(holds(help_text({&weir_help(), &completion}), "\n  elements"));
  EXPECT_FALSE(holds(fish_completion(weir_help()), " -a elements "));
}

// What a text of an option may hold is no syntax of a shell.
TEST(CompletionScripts, texts_are_words) {
  CommandHelp root;
  root.path = {"weir"};
  root.options.push_back({{"--x"}, std::nullopt, "it's $(touch y) [a]: `b` \\", "", {}});
  EXPECT_TRUE(holds(zsh_completion(root), "'(--x)--x[it'\\''s $(touch y) \\[a\\]\\: `b` \\\\]'\n"));
  EXPECT_TRUE(holds(fish_completion(root), " -d 'it\\'s $(touch y) [a]: `b` \\\\'\n"));
}

}  // namespace
}  // namespace weir::cli
