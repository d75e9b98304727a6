#include "core/cli/read_words.h"

#include "core/cli/command_tree.h"

namespace weir::cli {
namespace {

using Words = std::vector<std::string>;

const CommandHelp& whole_help() {
  static const CommandTree tree;
  return tree.help();
}

Result<ReadWords> read(const Words& words) { return read_words(whole_help(), words); }

// "build -q --events=a TARGET:app": the command, its options and its words, as they were understood.
std::string understood(const Words& words) {
  const auto got = read(words);
  if (!got) return "wrong: " + got.error().message;
  std::string text;
  for (std::size_t i = 1; i < got->commands.size(); ++i)
    text += (i > 1 ? " " : "") + got->commands[i]->name();
  for (const auto& [command, option, value] : got->options)
    text += " " + option->name() + (option->value ? "=" + value : "");
  for (const auto& [word, value] : got->words) text += " " + word->value.name + ":" + value;
  for (const auto& word : got->behind) text += " behind:" + word;
  return text;
}

TEST(ReadWords, options_stand_before_and_behind_command_and_words) {
  const std::string all = "build -C=x --quiet --color=never TARGET:app";
  EXPECT_EQ(understood({"-C", "x", "-q", "--color", "never", "build", "app"}), all);
  EXPECT_EQ(understood({"build", "-C", "x", "app", "-q", "--color=never"}), all);
  EXPECT_EQ(understood({"-Cx", "build", "--quiet", "--color", "never", "app"}), all);
}

TEST(ReadWords, short_options_go_together_and_have_their_value_behind_them) {
  EXPECT_EQ(understood({"build", "-qj4"}), "build --quiet -j=4");
  EXPECT_EQ(understood({"build", "-j", "4"}), "build -j=4");
  EXPECT_EQ(understood({"runs", "-n5"}), "runs -n=5");
}

TEST(ReadWords, options_of_a_family_stand_behind_its_commands_too) {
  EXPECT_EQ(understood({"ctl", "--run", "3", "suspend", "lib"}), "ctl suspend --run=3 JOB:lib");
  EXPECT_EQ(understood({"ctl", "suspend", "lib", "--run=3"}), "ctl suspend --run=3 JOB:lib");
}

TEST(ReadWords, names_of_commands_are_words_where_words_are_taken) {
  EXPECT_EQ(understood({"build", "test", "cache"}), "build TARGET:test TARGET:cache");
  EXPECT_EQ(understood({"plugin", "new", "list", "--type", "queue"}), "plugin new --type=queue NAME:list");
  EXPECT_EQ(understood({"-C", "build", "show"}), "show -C=build");
}

TEST(ReadWords, two_dashes_end_the_options_wherever_they_stand) {
  EXPECT_EQ(understood({"build", "--", "app"}), "build TARGET:app");
  EXPECT_EQ(understood({"build", "app", "--", "lib"}), "build TARGET:app TARGET:lib");
  EXPECT_EQ(understood({"checkout", "app", "--", "-out"}), "checkout ELEMENT:app DIR:-out");
  EXPECT_EQ(understood({"checkout", "--", "app", "--"}), "checkout ELEMENT:app DIR:--");
  EXPECT_EQ(understood({"sim", "lane", "-"}), "sim lane FILE:-");
}

TEST(ReadWords, what_is_behind_two_dashes_of_a_command_that_runs_others_is_not_read) {
  EXPECT_EQ(understood({"-q", "-C", "build", "shell", "app", "--", "a", "--", "[b,c]", "--help"}),
            "shell --quiet -C=build ELEMENT:app behind:a behind:-- behind:[b,c] behind:--help");
  EXPECT_EQ(understood({"build", "shell", "--", "x"}), "build TARGET:shell TARGET:x");
}

TEST(ReadWords, values_are_taken_as_they_are) {
  EXPECT_EQ(understood({"build", "[a,b]", "{x}", "%"}), "build TARGET:[a,b] TARGET:{x} TARGET:%");
  EXPECT_EQ(understood({"build", "--requestor", "-x"}), "build --requestor=-x");
  EXPECT_EQ(understood({"build", "--events=--ci"}), "build --events=--ci");
  EXPECT_EQ(understood({"build", "--requestor=a=b"}), "build --requestor=a=b");
}

TEST(ReadWords, help_needs_nothing_to_be_complete) {
  EXPECT_EQ(understood({"why", "--help"}), "why --help");
  EXPECT_EQ(understood({"--help", "cache"}), "cache --help");
  EXPECT_EQ(understood({"-h", "-q", "-v"}), " --help --quiet --verbose");
  EXPECT_EQ(understood({"--version"}), " --version");
}

TEST(ReadWords, a_flag_may_be_given_twice) { EXPECT_EQ(understood({"-q", "build", "-qq"}), "build --quiet"); }

struct Wrong {
  Words words;
  std::string message, remedy;
};

TEST(ReadWords, what_is_wrong_is_named_with_what_was_meant) {
  const std::vector<Wrong> all = {
      {{"biuld"}, "there is no command \"biuld\"", "did you mean \"weir build\"? see weir --help"},
      {{"frobnicate"}, "there is no command \"frobnicate\"", "see weir --help"},
      {{"cache", "sta"},
       "weir cache has no command \"sta\"",
       "did you mean \"weir cache stat\"? see weir cache --help"},
      {{"cache", "frobnicate"},
       "weir cache has no command \"frobnicate\"",
       "it can be stat, gc, verify or rm; see weir cache --help"},
      {{"completion", "frobnicate"},
       "weir completion has no command \"frobnicate\"",
       "it can be bash, zsh, fish or files; see weir completion --help"},
      {{"cache"}, "weir cache needs a command: stat, gc, verify or rm", "see weir cache --help"},
      {{"--frobnicate"}, "there is no option \"--frobnicate\"", "see weir --help"},
      {{"build", "--forc"},
       "weir build has no option \"--forc\"",
       "did you mean \"--force\"? see weir build --help"},
      {{"build", "--forc=1"},
       "weir build has no option \"--forc\"",
       "did you mean \"--force\"? see weir build --help"},
      {{"show", "-json"},
       "weir show has no option \"-json\"",
       "did you mean \"--json\"? see weir show --help"},
      {{"comp"}, "there is no command \"comp\"", "did you mean \"weir completion\"? see weir --help"},
      {{"build", "--rebuild"},
       "weir build has no option \"--rebuild\"",
       "did you mean \"--rebuild-check\"? see weir build --help"},
      {{"build", "--re"}, "weir build has no option \"--re\"", "see weir build --help"},
      {{"build", "--colour"},
       "weir build has no option \"--colour\"",
       "did you mean \"--color\"? see weir build --help"},
      {{"build", "-x"}, "weir build has no option \"-x\"", "see weir build --help"},
      {{"build", "-qx"}, "weir build has no option \"-x\"", "see weir build --help"},
      {{"why"},
       "weir why needs ELEMENT: its name",
       "usage: weir why [OPTION...] ELEMENT; see weir why --help"},
      {{"ctl", "worker", "drain"},
       "weir ctl worker needs NAME: of the worker",
       "usage: weir ctl worker [OPTION...] ORDER NAME; see weir ctl worker --help"},
      {{"cache", "stat", "more"},
       "\"more\" is one word too many for weir cache stat",
       "usage: weir cache stat [OPTION...]; see weir cache stat --help"},
      {{"build", "--events"}, "--events needs a value: --events FILE", "see weir build --help"},
      {{"build", "--events", "--ci"}, "--events needs a value: --events FILE", "see weir build --help"},
      {{"build", "--events=", "app"}, "--events needs a value: --events FILE", "see weir build --help"},
      {{"build", "--events", ""}, "--events needs a value: --events FILE", "see weir build --help"},
      {{"-C"}, "-C needs a value: -C DIR", "see weir --help"},
      {{"--color"}, "--color needs a value: auto, always or never", "see weir --help"},
      {{"show", "--json=yes"},
       "--json takes no value",
       "write --json alone, or leave it out; see weir show --help"},
      {{"build", "--on-error", "quitt"},
       "--on-error cannot be \"quitt\": it takes quit, continue or terminate",
       "did you mean \"quit\"? see weir build --help"},
      {{"graph", "--format", "x"},
       "--format cannot be \"x\": it takes dot, mermaid or json",
       "see weir graph --help"},
      {{"ctl", "worker", "drian", "w"},
       "ORDER cannot be \"drian\": it takes drain, remove or return",
       "did you mean \"drain\"? see weir ctl worker --help"},
      {{"runs", "-n", "many"},
       "-n cannot be \"many\": it takes a whole number from 1 to 1000000000",
       "see weir runs --help"},
      {{"runs", "-n", "-5"},
       "-n cannot be \"-5\": it takes a whole number from 1 to 1000000000",
       "see weir runs --help"},
      {{"runs", "-n", "0"},
       "-n cannot be \"0\": it takes a whole number from 1 to 1000000000",
       "see weir runs --help"},
      {{"runs", "-n", "1.5"},
       "-n cannot be \"1.5\": it takes a whole number from 1 to 1000000000",
       "see weir runs --help"},
      {{"log", "--run", "99999999999999999999999"},
       "--run cannot be \"99999999999999999999999\": it takes a whole number from 1 to 1000000000",
       "see weir log --help"},
      {{"build", "-j", "many"},
       "-j cannot be \"many\": it takes auto or a whole number from 1 to 1000000",
       "see weir build --help"},
      {{"build", "--events", "a", "--events", "b"},
       "--events is given twice",
       "it takes one value; see weir build --help"},
      {{"-C", "a", "build", "-C", "b"}, "-C is given twice", "it takes one value; see weir build --help"},
      {{"build", "--remote", "x", "--no-remote"},
       "--remote and --no-remote do not go together",
       "see weir build --help"},
      {{"-q", "build", "-v"}, "--quiet and --verbose do not go together", "see weir build --help"},
  };
  for (const auto& wrong : all) {
    const auto got = read(wrong.words);
    ASSERT_FALSE(got) << joined(wrong.words);
    EXPECT_EQ(got.error().reason, Reason::usage);
    EXPECT_EQ(got.error().message, wrong.message);
    EXPECT_EQ(got.error().remedy, wrong.remedy);
  }
}

TEST(ReadWords, a_command_declared_alone_has_all_that_it_has_among_others) {
  for (const auto& among : whole_help().commands) {
    const CommandTree tree(among.name());
    ASSERT_EQ(tree.help().commands.size(), 1u) << among.name();
    const auto& alone = tree.help().commands.front();
    EXPECT_EQ(usage_of(alone), usage_of(among));
    EXPECT_EQ(alone.commands.size(), among.commands.size()) << among.name();
    ASSERT_EQ(alone.options.size(), among.options.size()) << among.name();
    for (std::size_t i = 0; i < alone.options.size(); ++i)
      EXPECT_EQ(usage_of(alone.options[i]), usage_of(among.options[i]));
    EXPECT_EQ(tree.help().options.size(), whole_help().options.size());
  }
}

TEST(ReadWords, a_word_of_any_bytes_is_shown_short_and_printable) {
  EXPECT_EQ(understood({"runs", "-n", "\x1b[31m"}),
            "wrong: -n cannot be \"\\x1b[31m\": it takes a whole number from 1 to 1000000000");
  EXPECT_LT(understood({"runs", "-n", std::string(100'000, '9')}).size(), 200u);
  EXPECT_LT(understood({std::string(100'000, 'x')}).size(), 200u);
}

}  // namespace
}  // namespace weir::cli
