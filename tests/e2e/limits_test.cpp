// What an attacker or a poor machine can do to weir itself: trees that are larger than they look, signals in
// the middle of long work, and limits of the environment.
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "core/store/digest_message.h"
#include "core/store/directory_codec.h"
#include "core/store/proto_wire.h"
#include "tests/e2e/guest.h"
#include "tests/e2e/shared_project.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

// A remote in a folder whose record of `lib` can be made to name another tree.
class TreeFromRemote : public ::testing::Test {
 protected:
  void SetUp() override {
    fill(first_);
    const auto built = weir(first_, {"build"});
    ASSERT_EQ(built.exit, 0) << built.err;
  }
  std::string folder() const { return home_.path(); }
  void fill(TempProject& project) const {
    project.file("weir.toml", kHead + remote_table("dir:" + folder()) +
                                  script("lib", "echo lib > $WEIR_OUT/lib") +
                                  script("app", "cat /weir/lib > $WEIR_OUT/app", "depends = [\"lib\"]\n"));
  }
  std::string put(const std::string& kind, const std::string& name, const std::string& bytes) const {
    const auto path = folder() + "/" + kind + "/" + name.substr(0, 2) + "/" + name;
    fs::create_directories(fs::path(path).parent_path());
    fs::remove(path);
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  // Each level names the one below it twice.
  void let_lib_be_doubled(int levels) const {
    const std::string leaf = "leaf";
    put("cas", store::digest_of(leaf).hex(), leaf);
    store::Directory below{{{"f", store::digest_of(leaf), false}}, {}, {}};
    store::Tree tree;
    for (int i = 0; i < levels; ++i) {
      const auto digest = store::digest_of(store::encode(below));
      tree.children.push_back(std::move(below));
      below = {{}, {{"a", digest}, {"b", digest}}, {}};
    }
    // Where an artifact has its files: below the prefix.
    const auto inner = store::digest_of(store::encode(below));
    tree.children.push_back(std::move(below));
    tree.root = {{}, {{"weir", inner}}, {}};
    const auto bytes = store::encode(tree);
    const auto digest = store::digest_of(bytes);
    put("cas", digest.hex(), bytes);
    const auto key = field(weir(first_, {"show", "lib", "--json", "--no-remote"}).out, "key");
    const auto record = content(folder() + "/ac/" + key.substr(0, 2) + "/" + key);
    ASSERT_NE(record, "");
    put("ac", key, with_tree(record, digest));
  }
  static std::string with_tree(const std::string& record, const store::Digest& tree) {
    constexpr unsigned kOutputDirectories = 3;
    std::string out, node;
    store::proto::put_bytes(node, 1, "output");
    store::proto::put_bytes(node, 3, store::encode_digest(tree));
    store::proto::Fields fields(record);
    for (store::proto::Field field; fields.next(field);)
      store::proto::put_bytes(out, field.number, field.number == kOutputDirectories ? node : field.bytes);
    return out;
  }
  TempProject first_, home_;
};

TEST_F(TreeFromRemote, a_tree_that_doubles_at_each_level_is_a_miss_with_a_warning) {
  let_lib_be_doubled(26);
  TempProject other;
  fill(other);
  const auto run = weir(other, {"build", "--events", "-"});
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(says(run.out, "more than 10000000 entries")) << run.out;
  EXPECT_TRUE(says(run.out, "dir:" + folder())) << run.out;
  EXPECT_EQ(built_file(other, "app"), "lib\n");
  const auto again = weir(other, {"build", "--events", "-"});
  EXPECT_EQ(again.exit, 0) << again.err;
  EXPECT_FALSE(says(again.out, "diagnostic")) << again.out;
  EXPECT_EQ(weir(other, {"cache", "verify"}).exit, 0);
}

// Within the limits, and still work for a while: 2^19 folders.
TEST_F(TreeFromRemote, a_signal_ends_the_staging_of_a_large_tree) {
  let_lib_be_doubled(19);
  TempProject other;
  fill(other);
  other.file("weir.toml",
             content(other.path() + "/weir.toml") + script("user", "true", "depends = [\"lib\"]\n"));
  WeirProcess process(other, {"-q", "build", "user", "--events", "-"});
  const auto staging = [&] {
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(other.cache() + "/store/tmp", ignored), end; at != end;
         at.increment(ignored))
      if (at->path().filename() == "b") return true;
    return false;
  };
  ASSERT_TRUE(eventually(staging));
  process.signal(SIGTERM);
  const auto run = process.wait();
  EXPECT_EQ(run.exit, 143) << run.err;
  EXPECT_TRUE(says(run.out, R"("ev":"run.end","result":"cancelled")")) << run.out;
  // The store is as it was, and the next build has all it needs of it.
  EXPECT_EQ(weir(other, {"build", "lib"}).exit, 0);
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(other.cache() + "/store/stage", ignored), end; at != end;
       at.increment(ignored))
    EXPECT_NE(at->path().filename(), "b") << "a stage that is not whole was published: " << at->path();
}

// The same trick in a git repository: 28 objects that stand for 2^26 files.
TEST(TreeFromGit, that_doubles_at_each_level_is_refused_before_it_is_checked_out) {
  TempProject project, repository;
  const auto commit = run_program(repository.path(), {"sh", "-c", R"sh(
git init -q . &&
blob=$(echo x | git hash-object -w --stdin) && tree=$(printf '100644 blob %s\tf\n' $blob | git mktree) || exit 1
for i in $(seq 26); do tree=$(printf '040000 tree %s\ta\n040000 tree %s\tb\n' $tree $tree | git mktree) || exit 1; done
commit=$(git -c user.name=a -c user.email=a@example.org commit-tree -m bomb $tree) &&
git update-ref refs/heads/main $commit && printf %s $commit)sh"});
  project.file("weir.toml", importing("{kind = \"git\", url = " + toml_text(repository.path()) +
                                      ", track = \"main\", ref = " + toml_text(commit) + "}"));
  const auto run = weir(project, {"build", "--events", "-"});
  EXPECT_EQ(run.exit, 1) << run.err;
  EXPECT_EQ(failures_of(run), "source") << run.out;
  EXPECT_TRUE(says(run.err, "more than 10000000 entries")) << run.err;
}

// A file with so many holes that hashing it takes minutes.
constexpr std::uint64_t kHugeFile = std::uint64_t{256} << 30;

bool has_file_open(pid_t pid, const std::string& name) {
  std::error_code ignored;
  for (fs::directory_iterator at("/proc/" + std::to_string(pid) + "/fd", ignored), end; at != end;
       at.increment(ignored)) {
    const auto target = fs::read_symlink(at->path(), ignored).string();
    if (target.size() >= name.size() && target.ends_with(name)) return true;
  }
  return false;
}

// Of temporary files in the store.
std::uintmax_t temporary_bytes(const TempProject& project) {
  std::uintmax_t bytes = 0;
  std::error_code ignored;
  for (fs::recursive_directory_iterator at(project.cache() + "/store/tmp", ignored), end; at != end;
       at.increment(ignored))
    bytes += at->is_regular_file(ignored) ? at->file_size(ignored) : 0;
  return bytes;
}

// Each with the signal in the middle of reading the large file: if it went on to the end, it would exit with
// 0.
struct LongWork {
  const char* name;
  std::vector<std::string> words;
};

class Interrupted : public ::testing::TestWithParam<std::tuple<LongWork, int>> {};

TEST_P(Interrupted, ends_at_once) {
  const auto& [work, signal] = GetParam();
  TempProject project;
  project.file("weir.toml", importing(R"({kind = "local", path = "src"})"));
  project.file("src/huge", "");
  fs::resize_file(project.path() + "/src/huge", kHugeFile);
  WeirProcess process(project, work.words);
  ASSERT_TRUE(eventually([&] { return has_file_open(process.pid(), "/src/huge"); }));
  process.signal(signal);
  EXPECT_EQ(process.wait().exit, 128 + signal);
  EXPECT_EQ(temporary_bytes(project), 0U);
  fs::resize_file(project.path() + "/src/huge", 1);
  EXPECT_EQ(weir(project, {"build"}).exit, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Commands, Interrupted,
    ::testing::Combine(::testing::Values(LongWork{"show", {"show"}}, LongWork{"build", {"-q", "build"}},
                                         LongWork{"why", {"why", "app"}},
                                         LongWork{"dry_run", {"build", "--dry-run"}},
                                         LongWork{"checkout", {"checkout", "app", "out"}}),
                       ::testing::Values(SIGTERM, SIGINT)),
    [](const auto& of) {
      return std::string(std::get<0>(of.param).name) + (std::get<1>(of.param) == SIGTERM ? "_TERM" : "_INT");
    });

// In the event loop's time: an output that is hashed, where weir has handlers of its own.
TEST(Interruption, ends_the_collection_of_a_large_output) {
  TempProject project;
  project.file("weir.toml",
               kHead + script("app", "truncate -s " + std::to_string(kHugeFile) + " $WEIR_OUT/huge"));
  WeirProcess process(project, {"-q", "build", "--sandbox", "none", "--events", "-"});
  ASSERT_TRUE(eventually([&] { return has_file_open(process.pid(), "/huge"); }));
  process.signal(SIGTERM);
  const auto run = process.wait();
  EXPECT_EQ(run.exit, 143) << run.err;
  EXPECT_TRUE(says(run.out, R"("ev":"run.end","result":"cancelled")")) << run.out;
}

TEST(Interruption, ends_verify_without_a_loss) {
  TempProject project;
  project.file("weir.toml", importing(R"({kind = "local", path = "src"})"));
  project.file("src/f", "f\n");
  ASSERT_EQ(weir(project, {"build"}).exit, 0);
  // An object that grew is damage; one of that size that was written so takes long to hash.
  const auto name = std::string(64, 'a');
  const auto object = project.cache() + "/store/objects/aa/" + name.substr(2);
  fs::create_directories(fs::path(object).parent_path());
  std::ofstream(object).close();
  fs::resize_file(object, kHugeFile);
  const timespec times[2] = {{1321009871, 0}, {1321009871, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, object.c_str(), times, 0), 0);
  ASSERT_EQ(::chmod(object.c_str(), 0444), 0);
  WeirProcess process(project, {"cache", "verify"});
  ASSERT_TRUE(eventually([&] { return has_file_open(process.pid(), name.substr(2)); }));
  process.signal(SIGTERM);
  EXPECT_EQ(process.wait().exit, 143);
  EXPECT_TRUE(fs::exists(object));
  fs::remove(object);
  EXPECT_EQ(built_file(project, "f"), "f\n");
}

// ---- Limits of the environment ----

struct Limit {
  const char* name;
  int resource;
  rlim_t value;
};

std::string limit_name(const Limit& limit) {
  return std::string(limit.name) + "_" + std::to_string(limit.value);
}

// With pipes: a limit on the size of files would be one on what weir can say.
Finished run_limited(const TempProject& project, const Limit& limit, std::vector<std::string> words,
                     std::optional<uid_t> user) {
  std::array<int, 2> out{}, err{};
  if (::pipe2(out.data(), O_CLOEXEC) != 0 || ::pipe2(err.data(), O_CLOEXEC) != 0) return {};
  words.insert(words.begin(), WEIR_BINARY);
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::vector<std::string> variables{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + project.path(),
                                     "WEIR_CACHE_DIR=" + project.cache()};
  std::vector<char*> environment;
  for (auto& variable : variables) environment.push_back(variable.data());
  environment.push_back(nullptr);
  const auto pid = ::fork();
  if (pid == 0) {
    ::setpgid(0, 0);
    const rlimit both{limit.value, limit.value};
    const bool ready =
        ::dup2(out[1], 1) >= 0 && ::dup2(err[1], 2) >= 0 && ::chdir(project.path().c_str()) == 0 &&
        (!user || (::setgroups(0, nullptr) == 0 && ::setgid(*user) == 0 && ::setuid(*user) == 0)) &&
        ::setrlimit(static_cast<__rlimit_resource_t>(limit.resource), &both) == 0;
    if (ready) ::execve(argv[0], argv.data(), environment.data());
    ::_exit(126);
  }
  ::close(out[1]);
  ::close(err[1]);
  Finished result;
  std::array<pollfd, 2> ends{{{out[0], POLLIN, 0}, {err[0], POLLIN, 0}}};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  bool late = false;
  for (std::size_t open = 2; open > 0 && !late;) {
    ::poll(ends.data(), ends.size(), 100);
    late = std::chrono::steady_clock::now() > deadline;
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd < 0 || ends[i].revents == 0) continue;
      char buffer[4096];
      const auto got = ::read(ends[i].fd, buffer, sizeof buffer);
      if (got > 0) (i == 0 ? result.out : result.err).append(buffer, static_cast<std::size_t>(got));
      else ends[i].fd = -1, --open;
    }
  }
  if (late) ::kill(-pid, SIGKILL);
  int status = 0;
  ::waitpid(pid, &status, 0);
  ::close(out[0]);
  ::close(err[0]);
  result.exit = late ? -1 : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

class Limited : public ::testing::TestWithParam<Limit> {
 protected:
  void SetUp() override {
    // The number of processes is one of a user, and root has no limit: a user that has nothing else.
    if (GetParam().resource != RLIMIT_NPROC) return;
    user_ = static_cast<uid_t>(200'000 + ::getpid() % 100'000);
    if (!can_become(*user_)) GTEST_SKIP() << "needs root";
  }
  void fill(TempProject& project) const {
    project.file("weir.toml",
                 kHead + script("a", "echo a > $WEIR_OUT/a") +
                     script("b", "cat /weir/a > $WEIR_OUT/b", "depends = [\"a\"]\n") +
                     "[element.app]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"src\"}]\n");
    project.file("src/f", "f\n");
    if (!user_) return;
    for (const auto& entry : fs::recursive_directory_iterator(project.path()))
      ASSERT_EQ(::chown(entry.path().c_str(), *user_, *user_), 0);
    ASSERT_EQ(::chown(project.path().c_str(), *user_, *user_), 0);
    if (run_limited(project, {"", RLIMIT_CORE, 0}, {"--version"}, user_).exit == 126)
      GTEST_SKIP() << "another user cannot run this weir";
  }
  // Exit codes that mean what happened, with a remedy; never a bug, a signal or a hang.
  void expect_answered(const TempProject& project, const std::vector<std::string>& words) const {
    const auto run = run_limited(project, GetParam(), words, user_);
    std::string shown = limit_name(GetParam());
    for (const auto& word : words) shown += " " + word;
    shown += ": exit " + std::to_string(run.exit) + "\n" + run.out + run.err;
    if (run.exit == 127 && says(run.err, "error while loading shared libraries")) return;  // no weir yet
    EXPECT_TRUE(std::set<int>({0, 1, 2, 4, 5}).count(run.exit)) << shown;
    const auto lines = std::count(run.err.begin(), run.err.end(), '\n');
    EXPECT_TRUE(run.exit != 5 || says(run.err, "ulimit")) << shown;
    EXPECT_TRUE((run.exit != 2 && run.exit != 4) || lines >= 2) << "a message and its remedy: " << shown;
  }
  std::optional<uid_t> user_;
};

TEST_P(Limited, every_command_says_what_to_do) {
  TempProject cold;
  fill(cold);
  expect_answered(cold, {"--version"});
  for (const auto* command : {"show", "graph", "build"}) expect_answered(cold, {command});
  expect_answered(cold, {"build", "--sandbox", "none"});
  TempProject warm;
  fill(warm);
  ASSERT_EQ(run_limited(warm, {"", RLIMIT_CORE, 0}, {"-q", "build"}, user_).exit, 0);
  for (const auto* command : {"show", "graph", "build", "doctor"}) expect_answered(warm, {command});
  expect_answered(warm, {"build", "--sandbox", "none"});
  expect_answered(warm, {"log", "b"});
  expect_answered(warm, {"cache", "verify"});
  expect_answered(warm, {"cache", "gc"});
  // Nothing was lost for it: a limit is no damage.
  EXPECT_EQ(run_limited(warm, {"", RLIMIT_CORE, 0}, {"cache", "verify"}, user_).exit, 0);
}

std::vector<Limit> all_limits() {
  std::vector<Limit> all;
  const auto add = [&](const char* name, int resource, rlim_t unit, std::initializer_list<rlim_t> values) {
    for (const auto value : values) all.push_back({name, resource, value * unit});
  };
  add("processes", RLIMIT_NPROC, 1, {2, 3, 5, 6, 7, 8, 10});
  add("files", RLIMIT_NOFILE, 1, {5, 9, 11, 12, 14, 16, 20, 28});
  add("memory", RLIMIT_AS, 1 << 20, {16, 24, 32, 36, 40, 48});
  add("data", RLIMIT_DATA, 1 << 20, {8, 16, 24, 32});
  add("file_size", RLIMIT_FSIZE, 1, {0, 1, 512, 1024, 16384});
  add("stack", RLIMIT_STACK, 1024, {16, 64, 256, 1024});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Environment, Limited, ::testing::ValuesIn(all_limits()),
                         [](const auto& of) { return limit_name(of.param); });

// ---- Text ----

// Every string and key of a project file ends up in an argument, a variable or a path.
TEST(Nul, is_refused_in_every_string_and_key_with_its_place) {
  const std::vector<std::string> lines = {
      R"(project.name = "t@")",
      R"(project.default = ["a@"])",
      R"(env.E = "v@")",
      R"(variables.v = "x@")",
      R"(remote = [{url = "dir:/x@"}])",
      R"(sandbox.host-tools = ["cc@"])",
      "[element.b]\nkind = \"script@\"",
      "[element.b]\nkind = \"script\"\nconfig.commands = [\"true@\"]",
      "[element.b]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"src@\"}]",
      "[element.b]\nkind = \"import\"\nsource = [{kind = \"local\", path = \"src\", directory = \"d@\"}]",
      "[element.b]\nkind = \"import\"\nsource = [{kind = \"git\", url = \"https://example.org/a@\", track = "
      "\"main\"}]",
      "[element.b]\nkind = \"script\"\ndepends = [\"a@\"]",
      "[element.b]\nkind = \"script\"\nenv = { \"E@\" = \"v\" }",
      "[element.\"b@\"]\nkind = \"script\"",
      R"("key@" = 1)",
      R"(variables."v@" = "x")"};
  for (const auto& line : lines) {
    auto text = line;
    text.replace(text.find('@'), 1, "\\u0000z");
    const auto head = text.starts_with("[") ? std::string("weir = 1\n") : "weir = 1\n" + text + "\n";
    TempProject project;
    project.file("weir.toml",
                 head + "[element.a]\nkind = \"script\"\n" + (text.starts_with("[") ? text : "") + "\n");
    for (const auto* command : {"show", "build"}) {
      const auto run = weir(project, {command});
      EXPECT_EQ(run.exit, 2) << line << "\n" << run.err;
      EXPECT_TRUE(says(run.err, "NUL character")) << line << "\n" << run.err;
      EXPECT_TRUE(says(run.err, "weir.toml:")) << line << "\n" << run.err;
    }
  }
}

}  // namespace
}  // namespace weir::test
