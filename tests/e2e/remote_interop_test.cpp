// What weir leaves on a server is what the protocol says, to programs that nobody here wrote: curl, protoc
// and Bazel itself.
#include <regex>

#include "tests/e2e/shared_project.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

std::string project_text(const NginxRemote& remote) {
  return "weir = 1\n[project]\nname = \"shared\"\n" + remote_table(remote.url()) +
         shared_elements(R"({kind = "local", path = "more"})");
}
void fill(TempProject& project, const NginxRemote& remote, const std::string& lib = "text\n") {
  project.file("weir.toml", project_text(remote)).file("more/file", "more\n");
  add_shared_files(project, lib);
}

std::string decoded(const std::string& bytes) {
  const TemporaryFolder folder;
  folder.write("message", bytes);
  return run_program(folder.path(), {"sh", "-c", "protoc --decode_raw < message"});
}

std::string downloaded(const NginxRemote& remote, const std::string& path) {
  return run_program("/", {"curl", "--silent", "--show-error", "--fail", "--noproxy", "*", remote.url(path)});
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().filename());
  return names;
}

TEST(RemoteInterop, every_blob_hashes_to_its_name_and_every_record_is_an_action_result_with_its_tree) {
  NginxRemote remote;
  ASSERT_TRUE(remote.running()) << remote.errors();
  TempProject project;
  fill(project, remote);
  ASSERT_EQ(pushed(build(project)), "all app data lib tool");

  for (const auto& name : names_in(remote.folder() + "/cas"))
    EXPECT_EQ(store::digest_of(downloaded(remote, "/cas/" + name)).hex(), name);

  const auto records = names_in(remote.folder() + "/ac");
  EXPECT_EQ(records.size(), 5u);
  // output_directories is field 3: its path (1) and the digest of its tree (3).
  const std::regex output(
      R"re((?:^|\n)3 \{\n  1: "output"\n  3 \{\n    1: "([0-9a-f]{64})"\n    2: (\d+)\n  \}\n\})re");
  for (const auto& name : records) {
    const auto text = decoded(downloaded(remote, "/ac/" + name));
    std::smatch parts;
    ASSERT_TRUE(std::regex_search(text, parts, output)) << text;
    const auto tree = downloaded(remote, "/cas/" + parts[1].str());
    EXPECT_EQ(std::to_string(tree.size()), parts[2].str());
    EXPECT_EQ(decoded(tree).substr(0, 1), "1") << "a Tree has a root";
    // output_files is field 2: the digests of the recipe and the log.
    const std::regex file(R"re((?:^|\n)2 \{\n  1: "(recipe|log)"\n  2 \{\n    1: "([0-9a-f]{64})")re");
    std::set<std::string> files;
    for (std::sregex_iterator at(text.begin(), text.end(), file), end; at != end; ++at) {
      files.insert((*at)[1].str());
      EXPECT_TRUE(fs::exists(remote.folder() + "/cas/" + (*at)[2].str())) << text;
    }
    EXPECT_EQ(files, (std::set<std::string>{"log", "recipe"})) << text;
  }
}

// A Bazel of its own: nothing of it is left, and it asks nobody else.
class Bazel {
 public:
  static bool is_there() {
    return fs::exists("/usr/bin/bazel") && fs::exists("/usr/share/bazel/A-server.jar") &&
           fs::exists("/usr/bin/java");
  }

  explicit Bazel(const std::string& output) {
    folder_.write("project/WORKSPACE", "");
    folder_.write("project/BUILD",
                  "genrule(name = \"a\", outs = [\"a.txt\"], cmd = \"printf '" + output + "' > $@\")\n");
    fs::create_directories(folder_ / "home");
  }
  ~Bazel() {
    // What it installs is read-only.
    Program writable({"/bin/chmod", "-R", "u+w", folder_.path()}, {"PATH=/usr/bin:/bin"});
    writable.wait();
  }
  Bazel(const Bazel&) = delete;
  Bazel& operator=(const Bazel&) = delete;

  // With an empty output base each time; what it says.
  std::string build(const std::string& cache) {
    const auto java = fs::canonical("/usr/bin/java").parent_path().parent_path().string();
    const auto base = folder_ / ("base-" + std::to_string(++runs_));
    // --batch: no server stays behind. The rest is what Debian's /etc/bazel/bazelrc says, without the user's.
    Program program({"/usr/bin/env", "-C", folder_ / "project", "/usr/bin/bazel", "--batch", "--nosystem_rc",
                     "--nohome_rc", "--install_base=/usr/share/bazel", "--trust_install_base",
                     "--server_javabase=" + java, "--output_user_root=" + base, "build",
                     "--host_javabase=@local_jdk//:jdk", "--spawn_strategy=local", "--remote_cache=" + cache,
                     "--color=no", "--noshow_progress", "//:a"},
                    {"PATH=/usr/bin:/bin", "HOME=" + (folder_ / "home"), "JAVA_HOME=" + java});
    const int exit = program.wait();
    return (exit == 0 ? "" : "exit " + std::to_string(exit) + ": ") + program.text();
  }
  std::string output() const { return content(folder_ / "project/bazel-bin/a.txt"); }

 private:
  TemporaryFolder folder_;
  int runs_ = 0;
};

TEST(RemoteInterop, bazel_and_weir_use_one_server_beside_each_other) {
  if (!Bazel::is_there()) GTEST_SKIP() << "bazel-bootstrap is not installed";
  NginxRemote remote;
  ASSERT_TRUE(remote.running()) << remote.errors();
  TempProject first;
  fill(first, remote);
  ASSERT_EQ(pushed(build(first)), "all app data lib tool");

  Bazel bazel("tool: changed\\n");
  remote.requests();
  const auto built = bazel.build(remote.url(""));
  EXPECT_NE(built.find("1 local"), std::string::npos) << built;
  EXPECT_EQ(bazel.output(), "tool: changed\n");
  const auto uploads = remote.requests();
  EXPECT_EQ(count_starting(uploads, "PUT /ac/"), 1u);
  EXPECT_GE(count_starting(uploads, "PUT /cas/"), 1u);

  // A file that Bazel has put there is not put again by weir.
  TempProject second;
  fill(second, remote, "changed\n");
  const auto run = build(second);
  EXPECT_EQ(run.built, "app lib");
  EXPECT_EQ(pulled(run), "all data tool");
  EXPECT_EQ(pushed(run), "app lib");
  const auto shared = store::digest_of("tool: changed\n").hex();
  const auto requests = remote.requests();
  EXPECT_EQ(count_starting(requests, "HEAD /cas/" + shared), 1u);
  EXPECT_EQ(count_starting(requests, "PUT /cas/" + shared), 0u);

  const auto again = bazel.build(remote.url(""));
  EXPECT_NE(again.find("1 remote cache hit"), std::string::npos) << again;
  EXPECT_EQ(bazel.output(), "tool: changed\n");

  TempProject third;
  fill(third, remote, "changed\n");
  const auto last = build(third, {"**"});
  EXPECT_EQ(last.finished.exit, 0) << last.finished.err;
  EXPECT_EQ(pulled(last), "all app data lib tool");
  EXPECT_EQ(last.built, "");
  EXPECT_EQ(events_of(last, "diagnostic"), std::vector<std::string>());
  for (const auto* element : {"all", "app", "data", "lib", "tool"})
    EXPECT_EQ(artifact_picture(third, element), artifact_picture(second, element));
}

}  // namespace
}  // namespace weir::test
