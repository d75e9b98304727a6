#include "core/cli/args.h"

#include "core/cli/read_words.h"

namespace weir::cli {
namespace {

using Words = std::vector<std::string>;

struct Variables {
  bool flag = false, other = false;
  std::string text = "usual", word;
  std::optional<std::string> maybe;
  std::uint64_t number = 7;
  Words list;
};

// Reads the words as main does, and sets the variables. Returns what is wrong.
std::string assign(Command& root, const Words& words) {
  const auto help = root.help();
  const auto read = read_words(help, words);
  if (!read) return read.error().message;
  root.assign(*read);
  return {};
}

// One command with an argument of every kind.
struct EveryKind {
  Variables set;
  Command root{"tool", "does things"};
  Command& run = root.add_command("run", "runs", "Commands");

  EveryKind() {
    root.add_flag("-f,--flag", &set.flag, "a flag");
    run.add_flag("--other", &set.other, "another flag");
    run.add_option("--text", &set.text, "TEXT", "a text").show_default();
    run.add_option("-m,--maybe", &set.maybe, "TEXT", "a text, or none");
    run.add_option("-n", &set.number, "N", "a number").in_range(1, 1'000'000).show_default();
    run.add_word("word", &set.word, "WORD", "a word").required();
    run.add_word("list", &set.list, "MORE", "more words");
    run.exclude("--other", "--maybe");
  }
  std::string give(const Words& words) { return assign(root, words); }
};

TEST(Args, variables_of_every_type_are_set) {
  EveryKind tool;
  EXPECT_EQ(tool.give({"run", "-f", "--text=a,b", "-m", "[x]", "-n", "42", "first", "b", "c"}), "");
  EXPECT_TRUE(tool.set.flag);
  EXPECT_EQ(tool.set.text, "a,b");
  EXPECT_EQ(tool.set.maybe, "[x]");
  EXPECT_EQ(tool.set.number, 42u);
  EXPECT_EQ(tool.set.word, "first");
  EXPECT_EQ(tool.set.list, (Words{"b", "c"}));
}

TEST(Args, what_is_not_given_keeps_its_value) {
  EveryKind tool;
  EXPECT_EQ(tool.give({"run", "first"}), "");
  EXPECT_FALSE(tool.set.flag || tool.set.other);
  EXPECT_EQ(tool.set.text, "usual");
  EXPECT_EQ(tool.set.maybe, std::nullopt);
  EXPECT_EQ(tool.set.number, 7u);
  EXPECT_EQ(tool.set.list, Words{});
}

TEST(Args, words_are_taken_as_they_are) {
  EveryKind tool;
  EXPECT_EQ(tool.give({"run", "[a,b]", "{}", "%%", "", "--", "--text"}), "");
  EXPECT_EQ(tool.set.word, "[a,b]");
  EXPECT_EQ(tool.set.list, (Words{"{}", "%%", "", "--text"}));
}

// An optional text tells an empty one from none.
TEST(Args, an_empty_word_is_given) {
  std::optional<std::string> job;
  Command root("tool", "does things");
  root.add_command("cancel", "cancels", "Commands").add_word("job", &job, "JOB", "which");
  EXPECT_EQ(assign(root, {"cancel", ""}), "");
  EXPECT_EQ(job, "");
}

TEST(Args, numbers_are_decimal) {
  for (const auto& [text, number] : std::map<std::string, std::uint64_t>{
           {"1", 1}, {"010", 10}, {"09", 9}, {"1000000", 1'000'000}, {"0000000000000000000000005", 5}}) {
    EveryKind tool;
    EXPECT_EQ(tool.give({"run", "-n", text, "w"}), "");
    EXPECT_EQ(tool.set.number, number) << text;
  }
}

TEST(Args, numbers_out_of_their_range_and_other_texts_are_refused) {
  for (const auto* text :
       {"0", "1000001", "-1", "+1", "1.5", "0x10", " 1", "1 ", "1e3", "many", "99999999999999999999999"}) {
    EveryKind tool;
    EXPECT_EQ(tool.give({"run", "-n", text, "w"}),
              std::string("-n cannot be \"") + text + "\": it takes a whole number from 1 to 1000000");
    EXPECT_EQ(tool.set.number, 7u);
  }
}

TEST(Args, choices_and_a_range_are_taken_beside_each_other) {
  std::string jobs;
  const auto give = [&](const std::string& value) {
    Command root("tool", "does things");
    root.add_command("run", "runs", "Commands")
        .add_option("-j", &jobs, "N", "jobs")
        .one_of({"auto", "all"})
        .in_range(1, 9);
    return assign(root, {"run", "-j", value});
  };
  EXPECT_EQ(give("all"), "");
  EXPECT_EQ(jobs, "all");
  EXPECT_EQ(give("9"), "");
  EXPECT_EQ(jobs, "9");
  EXPECT_EQ(give("10"), "-j cannot be \"10\": it takes auto, all or a whole number from 1 to 9");
  EXPECT_EQ(jobs, "9");
}

TEST(Args, a_required_word_and_a_repeated_option_are_checked) {
  EveryKind tool;
  EXPECT_EQ(tool.give({"run"}), "tool run needs WORD: a word");
  EXPECT_EQ(tool.give({"run", "w", "--text", "a", "--text", "b"}), "--text is given twice");
  EXPECT_EQ(tool.give({"run", "w", "--other", "--other"}), "");
  EXPECT_TRUE(tool.set.other);
}

TEST(Args, options_exclude_each_other_by_any_of_their_names) {
  EveryKind tool;
  EXPECT_EQ(tool.give({"run", "w", "--other", "-m", "x"}), "--other and --maybe do not go together");
  EXPECT_EQ(tool.give({"run", "w", "--maybe=x", "--other"}), "--maybe and --other do not go together");
  const auto help = tool.root.help();
  EXPECT_EQ(help.commands.front().option("--other")->excludes, Words{"--maybe"});
  EXPECT_EQ(help.commands.front().option("-m")->excludes, Words{"--other"});
}

TEST(Args, excluded_options_are_in_the_order_of_their_names) {
  Variables set;
  Command root("tool", "does things");
  for (const auto* name : {"--a", "--b", "--c"}) root.add_flag(name, &set.flag, "a flag");
  root.exclude("--c", "--a");
  root.exclude("--b", "--a");
  EXPECT_EQ(root.help().option("--a")->excludes, (Words{"--b", "--c"}));
}

TEST(Args, a_flag_without_a_variable_is_only_read) {
  Command root("tool", "does things");
  root.add_flag("-h,--help", nullptr, "help");
  const auto help = root.help();
  const auto read = read_words(help, {"-h"});
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->has("--help"));
  root.assign(*read);
}

TEST(Args, help_has_all_that_was_declared) {
  EveryKind tool;
  tool.run.explain("More.\n\nEven more.", "tool run x");
  tool.run.runs_others();
  tool.root.add_command("hidden", "for scripts", "Commands").hide();
  const auto help = tool.root.help();
  EXPECT_EQ(help.path, Words{"tool"});
  EXPECT_EQ(help.what, "does things");
  EXPECT_EQ(help.options.front().names, (Words{"-f", "--flag"}));
  EXPECT_FALSE(help.options.front().value);
  ASSERT_EQ(help.commands.size(), 2u);
  EXPECT_FALSE(help.commands.back().listed());
  const auto& run = help.commands.front();
  EXPECT_EQ(run.path, (Words{"tool", "run"}));
  EXPECT_EQ(run.group, "Commands");
  EXPECT_EQ(run.details, "More.\n\nEven more.");
  EXPECT_EQ(run.examples, "tool run x");
  EXPECT_TRUE(run.runs_others);
  EXPECT_EQ(usage_of(run), "tool run [OPTION...] WORD [MORE...] [-- COMMAND...]");
  EXPECT_EQ(run.option("--text")->usual, "usual");
  EXPECT_EQ(run.option("-n")->usual, "7");
  EXPECT_EQ(run.option("-n")->value->range->most, 1'000'000u);
  EXPECT_EQ(run.option("-m")->usual, "");
}

TEST(Args, the_root_is_found_from_below) {
  EveryKind tool;
  EXPECT_EQ(&tool.run.root(), &tool.root);
  EXPECT_EQ(&tool.root.root(), &tool.root);
  EXPECT_EQ(&tool.run.add_command("deep", "deeper", "Commands").root(), &tool.root);
}

TEST(Args, options_of_a_parent_are_set_from_behind_a_command) {
  EveryKind tool;
  bool deep = false;
  Command family("tool", "does things");
  auto& below = family.add_command("family", "has commands", "Commands");
  below.add_option("-n", &tool.set.number, "N", "a number").in_range(1, 9);
  below.add_command("one", "one of them", "Commands").add_flag("--deep", &deep, "a flag");
  EXPECT_EQ(assign(family, {"family", "one", "-n3", "--deep"}), "");
  EXPECT_EQ(tool.set.number, 3u);
  EXPECT_TRUE(deep);
}

// Each is a bug of the one who declares it, found by the first test that makes the tree.
TEST(ArgsDeathTest, contradicting_declarations_are_bugs) {
  EveryKind tool;
  EXPECT_DEATH(tool.run.add_flag("--text", &tool.set.flag, "again"), "--text of tool run is declared twice");
  EXPECT_DEATH(tool.run.add_word("word", &tool.set.word, "WORD", "again"), "word is declared twice");
  EXPECT_DEATH(tool.run.add_word("last", &tool.set.word, "WORD", "late"), "last is never reached");
  EXPECT_DEATH(tool.root.add_command("run", "again", "Commands"), "run of tool is declared twice");
  EXPECT_DEATH(tool.run.exclude("--text", "--none"), "--text and --none of tool run");
  EXPECT_DEATH(tool.run.add_option("--bool", &tool.set.flag, "B", "a flag"), "--bool takes a value");
  EXPECT_DEATH(tool.run.add_option("--list", &tool.set.list, "L", "a list"), "--list takes one value");
  EXPECT_DEATH(tool.run.add_flag("dashless", &tool.set.flag, "a flag"), "option dashless");
  tool.run.add_option("--count", &tool.set.number, "N", "without a range");
  EXPECT_DEATH((void)tool.root.help(), "--count needs a range");
}

}  // namespace
}  // namespace weir::cli
