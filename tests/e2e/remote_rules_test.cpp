// Which remotes are used for what, and what it means if one cannot be.
#include "tests/e2e/project_texts.h"
#include "tests/e2e/shared_project.h"
#include "tests/support/faulty_server.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

// lib <- app; app needs data when it runs, and tool to be built.
constexpr auto kRuleElements = R"(
[element.data]
kind = "script"
config.commands = ["echo data > $WEIR_OUT/data"]
[element.tool]
kind = "script"
config.commands = ["echo tool > $WEIR_OUT/tool"]
[element.app]
kind = "script"
build-depends = ["tool"]
runtime-depends = ["data"]
config.commands = ["cat /weir/tool > $WEIR_OUT/app"]
)";

void fill(TempProject& project, const std::string& remotes, const std::string& elements = kRuleElements) {
  project.file("weir.toml", "weir = 1\n[project]\nname = \"rules\"\n" + remotes + elements);
}

// A folder as a remote.
struct Shelf {
  TemporaryFolder folder;
  std::string url() const { return "dir:" + folder.path(); }
  bool is_empty() const { return !fs::exists(folder / "ac"); }
  std::size_t records() const {
    if (is_empty()) return 0;
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder / "ac"))
      count += entry.is_regular_file();
    return count;
  }
};

// All of the project's artifacts, by somebody else.
void share_into(const Shelf& shelf) {
  TempProject other;
  fill(other, remote_table(shelf.url()));
  ASSERT_EQ(pushed(build(other)), "app data tool");
}

// An address at which nobody listens.
std::string dead_url() {
  static const ReservedPort nobody;
  return fmt::format("http://127.0.0.1:{}/", nobody.number());
}

// A server to read from and not to write to.
class ReadOnlyRemote : public NginxRemote {
 public:
  ReadOnlyRemote() : NginxRemote("if ($request_method = PUT) { return 403; } ") {}
};

TEST(RemoteRules, the_second_is_asked_for_what_the_first_has_not_and_only_those_that_ask_are_pushed_to) {
  const Shelf first, second;
  ASSERT_NO_FATAL_FAILURE(share_into(second));
  TempProject reader;
  fill(reader, remote_table(first.url(), "") + remote_table(second.url(), ""));
  const auto run = build(reader);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(pulled(run), "app data");
  EXPECT_EQ(run.built, "");
  for (const auto& moved : events_of(run, "remote.transfer")) EXPECT_EQ(field(moved, "remote"), second.url());
  EXPECT_TRUE(first.is_empty());

  TempProject giver;
  fill(giver, remote_table(first.url()) + remote_table(second.url(), ""));
  const auto given = build(giver, {"**"});
  EXPECT_EQ(given.finished.exit, 0) << given.finished.err;
  EXPECT_EQ(pulled(given), "app data tool");
  EXPECT_EQ(pushed(given), "app data tool");
  EXPECT_EQ(first.records(), 3u);
}

TEST(RemoteRules, a_dead_remote_is_told_of_once_and_the_next_one_is_used) {
  const Shelf second;
  ASSERT_NO_FATAL_FAILURE(share_into(second));
  TempProject project;
  fill(project, remote_table(dead_url()) + remote_table(second.url(), ""));
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(pulled(run), "app data");
  EXPECT_EQ(events_of(run, "diagnostic").size(), 1u) << run.finished.out;
}

TEST(RemoteRules, a_push_that_is_refused_is_a_warning_and_one_that_is_required_a_failure) {
  ReadOnlyRemote remote;
  ASSERT_TRUE(remote.running()) << remote.errors();
  TempProject wished;
  fill(wished, remote_table(remote.url(), "push = true\n"));
  const auto run = build(wished);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "app data tool");
  const auto told = events_of(run, "diagnostic");
  ASSERT_EQ(told.size(), 1u) << run.finished.out;
  EXPECT_TRUE(says(field(told[0], "message"), "nothing is pushed there")) << told[0];
  EXPECT_EQ(count_of(run, "pushed"), 0);
  EXPECT_EQ(count_of(run, "failed"), 0);

  TempProject required;
  fill(required, remote_table(remote.url(), "push = \"required\"\n"));
  const auto failed = build(required, {"--on-error", "continue"});
  EXPECT_EQ(failed.finished.exit, 4);
  EXPECT_EQ(failed.failed, "app data tool");
  EXPECT_EQ(count_of(failed, "failed"), 3);
  EXPECT_EQ(weir(required, {"checkout", "app", required.path() + "/out"}).exit, 0)
      << "what was built is there";

  TempProject dead;
  fill(dead, remote_table(dead_url(), "push = \"required\"\n"));
  EXPECT_EQ(build(dead).finished.exit, 4);
}

TEST(RemoteRules, no_push_and_no_remote_are_what_they_say) {
  const Shelf shelf;
  ASSERT_NO_FATAL_FAILURE(share_into(shelf));
  TempProject alone;
  fill(alone, remote_table(shelf.url()));
  const auto built = build(alone, {"--no-remote"});
  EXPECT_EQ(built.built, "app data tool");
  EXPECT_EQ(elements_in(built.finished, "pull") + elements_in(built.finished, "push"), "");

  const Shelf empty;
  TempProject reader;
  fill(reader, remote_table(shelf.url(), "") + remote_table(empty.url()));
  const auto read = build(reader, {"--no-push"});
  EXPECT_EQ(read.finished.exit, 0) << read.finished.err;
  EXPECT_EQ(pulled(read), "app data");
  EXPECT_EQ(elements_in(read.finished, "push"), "");
  EXPECT_TRUE(empty.is_empty());
}

TEST(RemoteRules, a_remote_of_the_command_line_or_the_environment_takes_the_place_of_those_of_the_project) {
  const Shelf named, configured;
  ASSERT_NO_FATAL_FAILURE(share_into(named));
  TempProject words;
  fill(words, remote_table(configured.url()));
  EXPECT_EQ(pulled(build(words, {"--remote", named.url()})), "app data");
  EXPECT_TRUE(configured.is_empty());

  TempProject variable;
  fill(variable, remote_table(configured.url()));
  variable.set("WEIR_REMOTE=" + named.url());
  EXPECT_EQ(pulled(build(variable)), "app data");
  EXPECT_TRUE(configured.is_empty());
  EXPECT_EQ(build(variable, {"--remote", configured.url(), "**"}).built, "tool")
      << "the command line comes first";

  TempProject none;
  fill(none, remote_table(named.url()));
  none.set("WEIR_REMOTE=none");
  EXPECT_EQ(build(none).built, "app data tool");
}

TEST(RemoteRules, who_names_a_remote_to_push_means_it) {
  const Shelf named, configured;
  TempProject project;
  fill(project, remote_table(configured.url()));
  ASSERT_EQ(build(project, {"--no-remote"}).built, "app data tool");
  const auto run = run_weir(project, {"push", "--remote", named.url()});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(pushed(run), "app data tool");
  EXPECT_EQ(named.records(), 3u);
  EXPECT_TRUE(configured.is_empty());
  EXPECT_EQ(run_weir(project, {"push", "--remote", dead_url()}).finished.exit, 4);
}

TEST(RemoteRules, to_push_a_target_that_is_not_cached_is_an_error) {
  const Shelf shelf;
  TempProject project;
  fill(project, remote_table(shelf.url()));
  const auto none = weir(project, {"push", "app"});
  EXPECT_EQ(none.exit, 1) << none.err;
  EXPECT_TRUE(says(none.err, "push app: not cached")) << none.err;
  EXPECT_TRUE(says(none.err, "run `weir build app`")) << none.err;
  EXPECT_FALSE(says(none.err, "push data")) << "nobody named it\n" << none.err;
  ASSERT_EQ(build(project, {"--no-remote", "tool"}).built, "tool");
  const auto one = run_weir(project, {"push", "app", "tool"});
  EXPECT_EQ(one.finished.exit, 1);
  EXPECT_EQ(pushed(one), "tool") << "the others are pushed all the same";
  EXPECT_EQ(run_weir(project, {"push", "tool"}).finished.exit, 0);
}

TEST(RemoteRules, a_push_of_the_default_gives_what_is_built_and_names_the_rest) {
  const Shelf shelf;
  TempProject project;
  fill(project, remote_table(shelf.url()));
  ASSERT_EQ(build(project, {"--no-remote", "tool"}).built, "tool");
  const auto run = run_weir(project, {"push"});
  EXPECT_EQ(run.finished.exit, 1) << run.finished.err;
  EXPECT_EQ(pushed(run), "tool");
  EXPECT_EQ(shelf.records(), 1u);
  EXPECT_EQ(run_weir(project, {"push", "tool"}).finished.exit, 0);
}

TEST(RemoteRules, force_builds_although_it_could_be_pulled) {
  const Shelf shelf;
  ASSERT_NO_FATAL_FAILURE(share_into(shelf));
  TempProject project;
  fill(project, remote_table(shelf.url()));
  const auto run = build(project, {"--force", "app"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "app");
  EXPECT_EQ(pulled(run), "data tool") << "what it needs may come from elsewhere";
}

TEST(RemoteRules, what_is_built_without_a_sandbox_is_neither_pushed_nor_pulled) {
  const Shelf shelf;
  TempProject project;
  fill(project, remote_table(shelf.url()),
       "[sandbox]\nroot = \"none\"\n[element.a]\nkind = \"script\"\nconfig.commands = [\"echo a > "
       "$WEIR_OUT/a\"]\n");
  const auto run = build(project);
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(run.built, "a");
  EXPECT_EQ(elements_in(run.finished, "pull") + elements_in(run.finished, "push"), "");
  EXPECT_TRUE(shelf.is_empty());
  EXPECT_EQ(weir(project, {"push"}).exit, 2);
  EXPECT_EQ(weir(project, {"pull"}).exit, 2);
}

TEST(RemoteRules, pull_brings_what_is_needed_to_run) {
  const Shelf shelf;
  ASSERT_NO_FATAL_FAILURE(share_into(shelf));
  TempProject project;
  fill(project, remote_table(shelf.url()));
  const auto run = run_weir(project, {"pull", "app"});
  EXPECT_EQ(run.finished.exit, 0) << run.finished.err;
  EXPECT_EQ(pulled(run), "app data");
  EXPECT_EQ(weir(project, {"checkout", "app", "--deps", "run", project.path() + "/out"}).exit, 0);
  EXPECT_EQ(content(project.path() + "/out/app") + content(project.path() + "/out/data"), "tool\ndata\n");
  EXPECT_EQ(pulled(run_weir(project, {"pull", "--deps", "all", "app"})), "tool");
  TempProject one;
  fill(one, remote_table(shelf.url()));
  EXPECT_EQ(pulled(run_weir(one, {"pull", "--deps", "none", "app"})), "app");
}

TEST(RemoteRules, what_cannot_be_pulled_has_failed) {
  const Shelf empty;
  TempProject project;
  fill(project, remote_table(empty.url()));
  const auto missing = run_weir(project, {"pull", "app"});
  EXPECT_EQ(missing.finished.exit, 1) << missing.finished.out;
  EXPECT_EQ(count_of(missing, "failed"), 2);
  const auto in_words = weir(project, {"pull", "app"});
  for (const auto* part : {"app: no remote has it", "data: no remote has it"})
    EXPECT_TRUE(says(in_words.out + in_words.err, part)) << in_words.out << in_words.err;

  TempProject dead;
  fill(dead, remote_table(dead_url()));
  const auto trouble = run_weir(dead, {"pull", "app"});
  EXPECT_EQ(trouble.finished.exit, 4) << trouble.finished.out;
}

TEST(RemoteRules, without_a_remote_there_is_a_remedy) {
  TempProject project;
  fill(project, "");
  for (const auto* command : {"push", "pull"}) {
    const auto told = weir(project, {command});
    EXPECT_EQ(told.exit, 2) << command;
    EXPECT_TRUE(says(told.err, "there is no remote") && says(told.err, "[[remote]]")) << told.err;
  }
  const Shelf shelf;
  TempProject reader;
  fill(reader, remote_table(shelf.url(), ""));
  const auto told = weir(reader, {"push"});
  EXPECT_EQ(told.exit, 2);
  EXPECT_TRUE(says(told.err, "push = true")) << told.err;
}

TEST(RemoteRules, a_url_that_no_kind_knows_is_told_with_its_place) {
  TempProject project;
  fill(project, "[[remote]]\nurl = \"gopher://cache.example\"\n");
  for (const auto* command : {"build", "pull", "push", "show"}) {
    const auto told = weir(project, {command});
    EXPECT_EQ(told.exit, 2) << command;
    EXPECT_TRUE(says(told.err, "weir.toml:4:") && says(told.err, "gopher://cache.example"))
        << command << ": " << told.err;
    EXPECT_TRUE(says(told.err, "dir, grpc, http")) << told.err;
  }
  EXPECT_EQ(weir(project, {"build", "--no-remote"}).exit, 0);
}

// The incident: whoever pushes got the log of the push, which has nothing in it.
TEST(RemoteRules, the_log_of_an_element_is_that_of_its_build) {
  const Shelf shelf;
  TempProject project;
  fill(project, remote_table(shelf.url()),
       "[element.a]\nkind = \"script\"\nconfig.commands = [\"echo words of the build\"]\n");
  ASSERT_EQ(pushed(build(project)), "a");
  EXPECT_EQ(weir(project, {"log", "a"}).out, "words of the build\n");
  ASSERT_EQ(run_weir(project, {"push"}).finished.exit, 0);
  EXPECT_EQ(weir(project, {"log", "a"}).out, "words of the build\n");
  EXPECT_TRUE(says(weir(project, {"log", "a", "--queue", "push"}).err, "push a, run 2"))
      << "whoever asks for it";
}

TEST(RemoteRules, show_tells_who_has_what) {
  const Shelf first, second;
  ASSERT_NO_FATAL_FAILURE(share_into(first));
  ASSERT_NO_FATAL_FAILURE(share_into(second));
  fs::remove_all(second.folder / "ac");
  TempProject giver;
  fill(giver, remote_table(second.url()));
  ASSERT_EQ(pushed(build(giver, {"tool"})), "tool");

  TempProject project;
  fill(project, remote_table(first.url(), "") + remote_table(second.url(), ""));
  const auto table = weir(project, {"show"});
  ASSERT_EQ(table.exit, 0) << table.err;
  for (const auto& line : lines_of(table.out)) {
    EXPECT_EQ(says(line, first.url()), !line.starts_with("element")) << table.out;
    EXPECT_EQ(says(line, second.url()), line.starts_with("tool")) << table.out;
  }
  const auto of = [&](const std::string& element, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"show", "--json", "--deps", "none", element});
    return weir(project, more).out;
  };
  EXPECT_TRUE(says(of("tool"),
                   R"("cached":{"local":false,"remotes":[")" + first.url() + "\",\"" + second.url() + "\"]}"))
      << of("tool");
  EXPECT_TRUE(says(of("app"), R"("remotes":[")" + first.url() + "\"]}")) << of("app");
  EXPECT_TRUE(says(of("app", {"--no-remote"}), R"("remotes":[])"));
  EXPECT_FALSE(says(weir(project, {"show", "--no-remote"}).out, "remotes"));
}

TEST(RemoteRules, show_goes_on_without_a_dead_remote) {
  TempProject project;
  fill(project, remote_table(dead_url()));
  const auto shown = weir(project, {"show", "--json"});
  EXPECT_EQ(shown.exit, 0) << shown.err;
  EXPECT_TRUE(says(shown.out, R"("remotes":[])")) << shown.out;
}

// Lines of `weir doctor` that are about remotes.
std::vector<std::string> remote_findings(const Finished& doctor) {
  std::vector<std::string> found;
  for (const auto& line : lines_of(doctor.out))
    if (line.size() > 16 && line.substr(9, 7) == "remote ") found.push_back(line);
  return found;
}

TEST(RemoteRules, doctor_tells_of_each_remote) {
  const Shelf shelf;
  TempProject project;
  fill(project, remote_table(shelf.url(), "push = \"required\"\n") + remote_table(dead_url()));
  const auto doctor = weir(project, {"doctor"});
  EXPECT_EQ(doctor.exit, 0) << doctor.out;
  const auto found = remote_findings(doctor);
  ASSERT_EQ(found.size(), 2u) << doctor.out;
  EXPECT_TRUE(found[0].starts_with("ok") && says(found[0], shelf.url()) && says(found[0], "push required"))
      << found[0];
  EXPECT_TRUE(found[1].starts_with("warning")) << found[1];

  TempProject needy;
  fill(needy, remote_table(dead_url(), "push = \"required\"\n"));
  const auto sick = weir(needy, {"doctor"});
  EXPECT_EQ(sick.exit, 1);
  ASSERT_EQ(remote_findings(sick).size(), 1u) << sick.out;
  EXPECT_TRUE(remote_findings(sick)[0].starts_with("wrong")) << sick.out;
}

// The server has taken the question and stays silent; the patience of this remote would last longer than the
// test may.
TEST(RemoteRules, an_interrupt_ends_a_slow_pull_at_once) {
  FaultyServer server;
  TempProject project;
  fill(project, "[[remote]]\nurl = " + toml_text(server.url("/")) + "\nconnect-timeout = \"24h\"\n");
  const auto key = shown(project, "app", "key", {"--no-remote"});
  ASSERT_EQ(key.size(), 64u) << key;
  server.on("/ac/" + key, {answer::stall("a record", 3)});
  for (const int signal : {SIGINT, SIGTERM}) {
    const auto before = server.count();
    WeirProcess process(project, {"-q", "build", "--events", "-", "app"});
    ASSERT_NE(process.wait_for_line("\"queue\":\"pull\",\"attempt\""), "");
    ASSERT_TRUE(server.wait_for_requests(before + 1));
    process.signal(signal);
    const auto ended = process.wait();
    EXPECT_EQ(ended.exit, 128 + signal) << ended.err;
    EXPECT_TRUE(says(ended.out, R"("ev":"run.end","result":"cancelled")")) << ended.out;
    EXPECT_FALSE(says(ended.out, R"("queue":"build","attempt")")) << ended.out;
  }
}

std::vector<std::string> stored_files(const std::string& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  return files;
}

// What came of a blob until then is not taken for the blob, and is not in the way of the next run.
TEST(RemoteRules, an_interrupt_in_the_middle_of_a_blob_leaves_nothing_of_it) {
  const std::string text(300'000, 'x');
  const std::string element =
      "[element.a]\nkind = \"script\"\nconfig.commands = [\"head -c 300000 /dev/zero | tr '\\\\0' x > "
      "$WEIR_OUT/a\"]\n";
  NginxRemote nginx;
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  TempProject giver;
  fill(giver, remote_table(nginx.url()), element);
  ASSERT_EQ(pushed(build(giver)), "a");

  FaultyServer server;
  for (const auto& file : stored_files(nginx.folder()))
    server.on(file.substr(nginx.folder().size()), {answer::whole(content(file))});
  const auto large = "/cas/" + store::digest_of(text).hex();
  server.on(large, {answer::stall(text, 200'000), answer::whole(text)});
  TempProject project;
  fill(project, "[[remote]]\nurl = " + toml_text(server.url("/")) + "\nconnect-timeout = \"5m\"\n", element);
  WeirProcess process(project, {"-q", "build", "--events", "-"});
  ASSERT_TRUE(eventually([&] {
    const auto requests = server.requests();
    return std::any_of(requests.begin(), requests.end(), [&](const auto& one) { return one.path == large; });
  }));
  process.signal(SIGINT);
  const auto ended = process.wait();
  EXPECT_EQ(ended.exit, 130) << ended.err;
  EXPECT_EQ(weir(project, {"cache", "verify"}).exit, 0);
  for (const auto& file : stored_files(project.cache())) EXPECT_LT(fs::file_size(file), 100'000u) << file;
  const auto again = build(project);
  EXPECT_EQ(again.finished.exit, 0) << again.finished.err;
  EXPECT_EQ(pulled(again), "a");
  EXPECT_EQ(artifact_picture(project, "a"), "a 100644 = " + text + "\n");
}

}  // namespace
}  // namespace weir::test
