// Tokens and passwords of remotes: the server sees them, and nobody and nothing else does.
#include <sys/stat.h>

#include <fstream>

#include "tests/e2e/shared_project.h"
#include "tests/support/faulty_server.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::string kToken = "tok3n-Qm9hcmRpbmc-that-nobody-may-see";
const std::string kPassword = "pa55word-that-nobody-may-see";
const std::string kBasic = "c2FtOnBhNTV3b3JkLXRoYXQtbm9ib2R5LW1heS1zZWU=";  // sam:<password>, as it is sent

constexpr auto kSecretElements = R"(
[element.a]
kind = "script"
config.commands = ["env > $WEIR_OUT/env; env; cat /proc/self/environ; cat /proc/[0-9]*/cmdline; true"]
[element.b]
kind = "script"
depends = ["a"]
config.commands = ["cat /weir/env > $WEIR_OUT/copy"]
)";

std::string with_user(std::string url, const std::string& user) {
  return url.insert(url.find("//") + 2, user + "@");
}

// Everything that came of a project, to be searched.
class Leaks {
 public:
  void run(const TempProject& project, std::vector<std::string> words, const std::string& what) {
    const auto done = weir(project, std::move(words));
    look_at(what + " (output)", done.out);
    look_at(what + " (errors)", done.err);
    last_ = done;
  }
  const Finished& last() const { return last_; }
  void look_at(const std::string& where, const std::string& text) {
    for (const auto& secret : {kToken, kPassword, kBasic})
      if (const auto at = text.find(secret); at != std::string::npos)
        found_ += where + ": ..." + text.substr(at < 60 ? 0 : at - 60, 120) + "...\n";
  }
  void look_below(const std::string& folder) {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      look_at("name of " + entry.path().string(), entry.path().filename());
      if (entry.is_symlink()) look_at(entry.path(), fs::read_symlink(entry.path()));
      else if (entry.is_regular_file()) look_at(entry.path(), content(entry.path())), ++files;
    }
    EXPECT_GT(files, 5u) << "there is something to look at below " << folder;
  }
  const std::string& found() const { return found_; }
  bool would_find(const std::string& text) const {
    Leaks other;
    other.look_at("", text);
    return !other.found_.empty();
  }

 private:
  std::string found_;
  Finished last_;
};

struct Secret {
  const char* name;
  std::string guard;       // nginx's rule
  std::string user;        // in the URL
  std::string credential;  // where [[credential]] says that it is
  std::string variable;    // in the environment of weir
};
const std::string kBearerGuard = "if ($http_authorization != \"Bearer " + kToken + "\") { return 401; } ";
const std::string kBasicGuard = "if ($http_authorization != \"Basic " + kBasic + "\") { return 401; } ";
const Secret kSecrets[] = {
    {"token", kBearerGuard, "", "token-env = \"CACHE_TOKEN\"\n", "CACHE_TOKEN=" + kToken},
    {"token_of_a_file", kBearerGuard, "", "token-file = \"token\"\n", ""},
    {"password", kBasicGuard, "sam:" + kPassword, "", ""},
    {"password_of_a_credential", kBasicGuard, "", "user = \"sam\"\ntoken-env = \"CACHE_PASSWORD\"\n",
     "CACHE_PASSWORD=" + kPassword},
};
void PrintTo(const Secret& secret, std::ostream* out) { *out << secret.name; }

class RemoteSecrets : public ::testing::TestWithParam<Secret> {
 protected:
  static std::string url(const std::string& plain) {
    return GetParam().user.empty() ? plain : with_user(plain, GetParam().user);
  }
  static void fill(TempProject& project, const std::string& plain_url) {
    project.file("weir.toml", "weir = 1\n[project]\nname = \"secrets\"\n" + remote_table(url(plain_url)) +
                                  kSecretElements);
    project.set("WEIR_LOG=debug");
    if (!GetParam().variable.empty()) project.set(GetParam().variable);
    add_credentials(project, plain_url);
  }
  static void add_credentials(TempProject& project, const std::string& plain_url) {
    if (GetParam().credential.empty()) return;
    project.file(".config/weir/token", kToken + "\n");
    ::chmod((project.path() + "/.config/weir/token").c_str(), 0600);
    std::set<std::string> hosts{"127.0.0.1:9"};
    hosts.insert(plain_url.substr(7, plain_url.find('/', 7) - 7));
    std::string text;
    for (const auto& host : hosts)
      text += "[[credential]]\nhost = " + toml_text(host) + "\nallow-http = true\n" + GetParam().credential;
    project.file(".config/weir/config.toml", text);
  }
  static void run_everything(Leaks& leaks, const TempProject& project) {
    leaks.run(project, {"-v", "build", "--events", project.path() + "/.cache/events", "**"}, "build");
    leaks.run(project, {"push"}, "push");
    leaks.run(project, {"pull", "--deps", "all", "b"}, "pull");
    for (const auto* command : {"show", "doctor", "runs"}) {
      leaks.run(project, {command}, command);
      leaks.run(project, {command, "--json"}, std::string(command) + " --json");
    }
    leaks.run(project, {"why", "b"}, "why");
    leaks.run(project, {"log", "a"}, "log");
    leaks.run(project, {"build", "--remote", url("http://127.0.0.1:9/"), "--force", "a"}, "build --remote");
    leaks.run(project, {"build", "--remote", url("gopher://127.0.0.1:9/"), "--force", "a"},
              "build with an unknown scheme");
    leaks.run(project, {"build", "--remote", url("http://127.0.0.1:9/?query"), "--force", "a"},
              "build with a URL that is refused");
    leaks.run(project, {"build", "--remote", url("http://127.0.0.1:nine/"), "--force", "a"},
              "build with a URL that is none");
    leaks.look_below(project.cache());
  }
  // weir itself has to have the variable: that it is found there shows that it would be found elsewhere.
  static void expect_in_no_other_process(pid_t weir) {
    for (const auto& secret : {kToken, kPassword, kBasic})
      EXPECT_EQ(own_with(weir, secret),
                says(GetParam().variable, secret) ? std::vector<pid_t>{weir} : std::vector<pid_t>());
  }
  // Of weir and all below it: other tests may run at the same time, with the same secrets.
  static std::vector<pid_t> own_with(pid_t weir, const std::string& secret) {
    auto all = processes_with(secret);
    std::erase_if(all, [&](pid_t pid) {
      while (pid > 1 && pid != weir) pid = parent_of(pid);
      return pid != weir;
    });
    return all;
  }
  static pid_t parent_of(pid_t pid) {
    std::ifstream in("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(in, line);)
      if (line.starts_with("PPid:")) return std::stoi(line.substr(5));
    return 0;
  }
};

TEST_P(RemoteSecrets, are_seen_by_the_server_alone) {
  NginxRemote remote(GetParam().guard);
  ASSERT_TRUE(remote.running()) << remote.errors();
  Leaks leaks;
  TempProject first, second;
  fill(first, remote.url());
  fill(second, remote.url());
  ASSERT_EQ(pushed(build(first, {"**"})), "a b") << "it took the secret";
  ASSERT_EQ(pulled(build(second, {"**"})), "a b");
  run_everything(leaks, first);
  run_everything(leaks, second);
  for (const auto* element : {"a", "b"}) leaks.look_at(element, artifact_picture(first, element));
  leaks.look_below(remote.folder());
  EXPECT_EQ(leaks.found(), "");
  EXPECT_TRUE(leaks.would_find("CACHE_TOKEN=" + kToken)) << "the search itself";
}

TEST_P(RemoteSecrets, are_not_told_by_whoever_is_refused) {
  NginxRemote remote("location ~ . { return 401; } ");
  ASSERT_TRUE(remote.running()) << remote.errors();
  Leaks leaks;
  TempProject refused;
  fill(refused, remote.url());
  run_everything(leaks, refused);
  EXPECT_EQ(leaks.found(), "");
}

TEST_P(RemoteSecrets, are_not_told_by_whoever_finds_nobody) {
  std::string gone;
  {
    const FaultyServer server;
    gone = server.url("/");
  }
  Leaks leaks;
  TempProject alone;
  fill(alone, gone);
  run_everything(leaks, alone);
  EXPECT_EQ(leaks.found(), "");
}

TEST_P(RemoteSecrets, are_in_no_key) {
  TempProject with, without;
  fill(with, "http://127.0.0.1:9/");
  without.file("weir.toml", std::string("weir = 1\n[project]\nname = \"secrets\"\n") + kSecretElements);
  for (const auto* element : {"a", "b"}) {
    const auto key = shown(with, element, "key", {"--no-remote"});
    EXPECT_EQ(key.size(), 64u) << key;
    EXPECT_EQ(key, shown(without, element, "key")) << element;
  }
}

TEST_P(RemoteSecrets, are_in_no_process_but_weir_itself) {
  NginxRemote remote(GetParam().guard);
  ASSERT_TRUE(remote.running()) << remote.errors();
  for (const auto* sandbox : {"host", "none"}) {
    SCOPED_TRACE(sandbox);
    const auto tag = "weir-e2e-secrets-" + std::to_string(::getpid()) + "-";
    TempProject project;
    fill(project, remote.url());
    project.file("weir.toml", "weir = 1\n[project]\nname = \"secrets\"\n" + remote_table(url(remote.url())) +
                                  "[element.a]\nkind = \"script\"\nenv = {TAG = \"" + tag +
                                  "\"}\nconfig.commands = [\"sleep 1000 & sleep 1000\"]\n");
    WeirProcess process(project, {"-q", "build", "--sandbox", sandbox, "--events", "-"});
    ASSERT_NE(process.wait_for_line("job.process"), "");
    ASSERT_TRUE(eventually([&] { return processes_with(tag).size() >= 3; }));
    expect_in_no_other_process(process.pid());
    process.signal(SIGTERM);
    process.wait();
  }
}

TEST_P(RemoteSecrets, are_not_given_to_those_who_fetch) {
  FaultyServer source;
  source.on("/data", {answer::stall("data", 1)});
  TempProject project;
  fill(project, "http://127.0.0.1:9/");
  const auto text = content(project.path() + "/weir.toml");
  project.file("weir.toml", text + "[element.c]\nkind = \"import\"\nsource = [" +
                                file_source(source.url("/data"), "data") + "]\n");
  WeirProcess process(project, {"-q", "build", "c", "--events", "-"});
  ASSERT_NE(process.wait_for_line("\"queue\":\"fetch\",\"attempt\""), "");
  ASSERT_TRUE(source.wait_for_requests(1));
  expect_in_no_other_process(process.pid());
  const auto request = source.requests().at(0);
  for (const auto& [name, value] : request.headers) EXPECT_EQ(value.find(kToken), std::string::npos) << name;
  process.signal(SIGTERM);
  process.wait();
}

INSTANTIATE_TEST_SUITE_P(A, RemoteSecrets, ::testing::ValuesIn(kSecrets),
                         [](const auto& secret) { return std::string(secret.param.name); });

}  // namespace
}  // namespace weir::test
