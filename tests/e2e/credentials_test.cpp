// Secrets of the user: which server gets them is decided in the user's own settings, never by a project. Real
// servers are the judges: they keep what was sent to them.
#include <sys/stat.h>

#include "tests/e2e/git_repository.h"
#include "tests/e2e/shared_project.h"
#include "tests/support/faulty_server.h"

namespace weir::test {
namespace {

const std::string kMyToken = "tok3n-of-the-user";
const std::string kMyPassword = "pa55word-of-the-user";
const std::string kBearer = "Bearer " + kMyToken;
constexpr auto kOneElement = "[element.a]\nkind = \"script\"\nconfig.commands = [\"echo a > $WEIR_OUT/a\"]\n";

// A user who has a token in a variable and a password in ~/.netrc, and a project of somebody else.
class Credentials : public ::testing::Test {
 protected:
  Credentials() {
    project.set("MY_SECRET=" + kMyToken);
    project.set("HOME=" + project.path() + "/home");
    project.set("NETRC=" + project.path() + "/home/.netrc");
    private_file("home/.netrc", "machine 127.0.0.1 login ann password " + kMyPassword + "\n");
  }

  void private_file(const std::string& path, const std::string& text) {
    project.file(path, text);
    ::chmod((project.path() + "/" + path).c_str(), 0600);
  }
  void remotes(const std::vector<std::string>& tables) {
    std::string text = "weir = 1\n[project]\nname = \"theirs\"\n[retry]\nnetwork = 0\n";
    for (const auto& table : tables) text += table;
    project.file("weir.toml", text + kOneElement);
  }
  void credentials(const std::string& text) { project.file(".config/weir/config.toml", text); }
  static std::string credential(const std::string& host, const std::string& more) {
    return "[[credential]]\nhost = " + toml_text(host) + "\n" + more;
  }
  static std::string host_of(const FaultyServer& server) {
    return "127.0.0.1:" + std::to_string(server.port());
  }

  // Everything that speaks with remotes; what each said.
  std::vector<Finished> run_all() {
    std::vector<Finished> all;
    for (const auto& words : std::vector<std::vector<std::string>>{
             {"build", "--force", "a"}, {"push", "a"}, {"pull", "a"}, {"show"}, {"doctor"}})
      all.push_back(weir(project, words));
    return all;
  }
  // The credentials that came with requests, each once, with spaces between; "-" for none.
  static std::string sent_to(const FaultyServer& server) {
    std::set<std::string> values;
    for (const auto& request : server.requests()) {
      values.insert(request.header("authorization").empty() ? "-" : request.header("authorization"));
      for (const auto& [name, value] : request.headers)
        if (name != "authorization" && (says(value, kMyToken) || says(value, kMyPassword)))
          values.insert(name + " has it");
    }
    std::string all;
    for (const auto& value : values) all += (all.empty() ? "" : " ") + value;
    return all;
  }

  TempProject project;
};

// nginx speaks TLS for a server that remembers what it was sent.
class SecureServer {
 public:
  SecureServer()
      : nginx_({}, fmt::format("location / {{ client_max_body_size 0; proxy_pass {}; }}", behind_.url(""))) {}
  bool running() const { return nginx_.running(); }
  std::string host() const {
    const auto url = nginx_.secure_url("");
    return url.substr(url.find("//") + 2);
  }
  std::string url() const { return nginx_.secure_url("/"); }
  std::string certificate() const { return nginx_.folder / "certificate.pem"; }
  FaultyServer& server() { return behind_; }

 private:
  FaultyServer behind_;
  Nginx nginx_;
};

TEST_F(Credentials, a_project_cannot_choose_a_variable_of_the_user) {
  const FaultyServer server;
  remotes({remote_table(server.url("/"), "push = true\ntoken-env = \"MY_SECRET\"\n")});
  for (const auto& done : run_all()) {
    EXPECT_NE(done.exit, 0);
    const auto text = done.out + done.err;
    EXPECT_TRUE(says(text, "weir.toml:10:13")) << text;
    EXPECT_TRUE(says(text, "[[credential]]")) << text;
    EXPECT_TRUE(says(text, host_of(server))) << text;
    EXPECT_FALSE(says(text, kMyToken)) << text;
  }
  EXPECT_FALSE(says(sent_to(server), "B"))
      << "doctor may ask, without a word about the user: " << sent_to(server);
}

TEST_F(Credentials, passwords_of_netrc_go_to_no_remote) {
  const FaultyServer server;
  SecureServer secure;
  ASSERT_TRUE(secure.running());
  remotes({remote_table(server.url("/")),
           remote_table(secure.url(), "push = true\nca = " + toml_text(secure.certificate()) + "\n")});
  run_all();
  EXPECT_EQ(sent_to(server), "-");
  EXPECT_EQ(sent_to(secure.server()), "-");
}

TEST_F(Credentials, a_token_goes_to_its_host_and_port_only) {
  const FaultyServer server, other;
  credentials(credential(host_of(server), "token-env = \"MY_SECRET\"\nallow-http = true\n"));
  remotes({remote_table(server.url("/")), remote_table(other.url("/"))});
  for (const auto& done : run_all()) EXPECT_FALSE(says(done.out + done.err, kMyToken));
  EXPECT_EQ(sent_to(server), kBearer);
  EXPECT_EQ(sent_to(other), "-");
}

TEST_F(Credentials, are_not_for_a_url_that_readers_may_take_apart_in_different_ways) {
  const FaultyServer server, other;
  credentials(credential(host_of(server), "token-env = \"MY_SECRET\"\nallow-http = true\n") +
              credential(host_of(other), "token-env = \"MY_SECRET\"\nallow-http = true\n"));
  const auto there = other.url("");
  for (const auto& url : {"http://" + host_of(server) + "@" + host_of(other) + "/",
                          "http://" + host_of(server) + "\\@" + host_of(other) + "/",
                          "http://" + host_of(server) + "#@" + host_of(other) + "/",
                          "http:/" + host_of(other) + "/", "http:///" + host_of(other) + "/"}) {
    remotes({remote_table(url)});
    run_all();
  }
  EXPECT_FALSE(says(sent_to(server), kMyToken)) << sent_to(server);
  EXPECT_FALSE(says(sent_to(other), kMyToken)) << sent_to(other);
}

TEST_F(Credentials, are_not_sent_over_plain_http_unless_that_is_allowed) {
  const FaultyServer server;
  const auto host = host_of(server);
  credentials(credential(host, "token-env = \"MY_SECRET\"\n"));
  remotes({remote_table(server.url("/"))});
  for (const auto& done : run_all()) {
    const auto text = done.out + done.err;
    EXPECT_TRUE(says(text, "token not sent: the connection is not encrypted")) << text;
    EXPECT_TRUE(says(text, "allow-http = true")) << text;
  }
  EXPECT_EQ(sent_to(server), "-");
  const auto run = build(project, {"--force", "a"});
  const auto warnings = events_of(run, "diagnostic");
  EXPECT_EQ(std::count_if(warnings.begin(), warnings.end(),
                          [](const auto& line) { return says(line, "not encrypted"); }),
            1)
      << run.finished.out;
}

TEST_F(Credentials, are_sent_over_tls) {
  SecureServer secure;
  ASSERT_TRUE(secure.running());
  credentials(
      credential(secure.host(), "token-env = \"MY_SECRET\"\nca = " + toml_text(secure.certificate()) + "\n"));
  remotes({remote_table(secure.url())});
  for (const auto& done : run_all()) EXPECT_FALSE(says(done.out + done.err, "not sent")) << done.err;
  EXPECT_EQ(sent_to(secure.server()), kBearer);
}

TEST_F(Credentials, are_not_sent_to_whom_only_the_project_trusts) {
  SecureServer secure;
  ASSERT_TRUE(secure.running());
  credentials(credential(secure.host(), "token-env = \"MY_SECRET\"\n"));
  remotes({remote_table(secure.url(), "push = true\nca = " + toml_text(secure.certificate()) + "\n")});
  for (const auto& done : run_all()) {
    const auto text = done.out + done.err;
    EXPECT_TRUE(says(text, "token not sent: the project chooses the certificate authority")) << text;
  }
  EXPECT_EQ(sent_to(secure.server()), "-");
  run_all();
  const auto url = secure.url();
  weir(project, {"build", "--force", "--remote", url, "a"});
  EXPECT_EQ(sent_to(secure.server()), "-") << "--remote takes the authority of the project as well";
}

TEST_F(Credentials, do_not_follow_a_redirect_to_another_server) {
  SecureServer secure;
  ASSERT_TRUE(secure.running());
  FaultyServer first, second;
  credentials(
      credential(host_of(first), "token-env = \"MY_SECRET\"\nallow-http = true\n") +
      credential(secure.host(), "token-env = \"MY_SECRET\"\nca = " + toml_text(secure.certificate()) + "\n"));
  remotes({remote_table(first.url("/")), remote_table(secure.url())});
  const auto name = [](const FaultyServer& server) { return server.requests().at(0).path; };
  weir(project, {"show"});
  ASSERT_GT(first.count(), 0u);
  ASSERT_GT(secure.server().count(), 0u);
  first.on(name(first), {answer::redirect(second.url("/elsewhere"))});
  secure.server().on(name(secure.server()), {answer::redirect(second.url("/plain"))});
  weir(project, {"show"});
  EXPECT_GT(second.count(), 0u);
  EXPECT_EQ(sent_to(second), "-");
  for (const auto& request : second.requests()) EXPECT_NE(request.path, "/plain") << "from https to http";
}

TEST_F(Credentials, are_the_same_for_a_remote_of_the_command_line_and_of_the_environment) {
  const FaultyServer server;
  credentials(credential(host_of(server), "token-env = \"MY_SECRET\"\nallow-http = true\n"));
  remotes({});
  weir(project, {"build", "--remote", server.url("/"), "a"});
  EXPECT_EQ(sent_to(server), kBearer);
  const auto before = server.count();
  project.set("WEIR_REMOTE=" + server.url("/"));
  weir(project, {"show"});
  EXPECT_GT(server.count(), before);
  EXPECT_EQ(sent_to(server), kBearer);
}

TEST_F(Credentials, a_password_goes_with_its_user) {
  const FaultyServer server;
  project.set("MY_PASSWORD=se:same@1/%");
  credentials(
      credential(host_of(server), "user = \"ann@home\"\ntoken-env = \"MY_PASSWORD\"\nallow-http = true\n"));
  remotes({remote_table(server.url("/"))});
  for (const auto& done : run_all()) EXPECT_FALSE(says(done.out + done.err, "se:same")) << done.out;
  EXPECT_EQ(sent_to(server), "Basic YW5uQGhvbWU6c2U6c2FtZUAxLyU=");
}

TEST_F(Credentials, a_token_may_be_in_a_file_that_is_private) {
  const FaultyServer server;
  private_file(".config/weir/token", kMyToken + "\n");
  private_file("home/token", kMyToken + "\r\n");
  remotes({remote_table(server.url("/"))});
  for (const auto* file : {"token", "~/token"}) {
    credentials(credential(host_of(server), "allow-http = true\ntoken-file = " + toml_text(file) + "\n"));
    run_all();
  }
  EXPECT_EQ(sent_to(server), kBearer);
}

TEST_F(Credentials, a_token_file_that_others_can_read_is_refused) {
  const FaultyServer server;
  project.file(".config/weir/token", kMyToken + "\n");
  ::chmod((project.path() + "/.config/weir/token").c_str(), 0640);
  credentials(credential(host_of(server), "allow-http = true\ntoken-file = \"token\"\n"));
  remotes({remote_table(server.url("/"))});
  for (const auto& done : run_all()) {
    EXPECT_NE(done.exit, 0);
    const auto text = done.out + done.err;
    EXPECT_TRUE(says(text, "config.toml:1:1")) << text;
    EXPECT_TRUE(says(text, "chmod 600 " + project.path() + "/.config/weir/token")) << text;
    EXPECT_FALSE(says(text, kMyToken)) << text;
  }
  EXPECT_EQ(sent_to(server), "");
}

TEST_F(Credentials, a_token_that_would_begin_another_header_is_refused) {
  const FaultyServer server;
  project.set("TWO_LINES=" + kMyToken + "\r\nX-Header: y");
  credentials(credential(host_of(server), "allow-http = true\ntoken-env = \"TWO_LINES\"\n"));
  remotes({remote_table(server.url("/"))});
  for (const auto& done : run_all()) {
    EXPECT_NE(done.exit, 0);
    EXPECT_TRUE(says(done.out + done.err, "TWO_LINES")) << done.out << done.err;
    EXPECT_FALSE(says(done.out + done.err, kMyToken)) << done.out << done.err;
  }
  EXPECT_EQ(sent_to(server), "");
}

TEST_F(Credentials, a_token_that_is_not_there_is_told_and_the_remote_asked_without_it) {
  const FaultyServer server;
  credentials(credential(host_of(server), "allow-http = true\ntoken-env = \"NOT_THERE\"\n"));
  remotes({remote_table(server.url("/"))});
  for (const auto& done : run_all())
    EXPECT_TRUE(says(done.out + done.err, "NOT_THERE is not set")) << done.out << done.err;
  EXPECT_EQ(sent_to(server), "-");
}

TEST_F(Credentials, are_listed_by_doctor_without_their_secrets) {
  private_file(".config/weir/token", kMyToken + "\n");
  credentials(credential("one.example", "token-env = \"MY_SECRET\"\n") +
              credential("two.example:8443", "token-file = \"token\"\nallow-http = true\n") +
              credential("three.example", "token-env = \"NOT_THERE\"\n") +
              credential("four.example", "token-file = \"gone\"\n"));
  remotes({});
  const auto text = weir(project, {"doctor"});
  for (const auto* part : {"ok       credential       one.example: variable MY_SECRET",
                           "ok       credential       two.example:8443: file ", "also without encryption",
                           "warning  credential       three.example: the variable NOT_THERE is not set",
                           "wrong    credential       ", "No such file or directory", "config.toml:1:1"})
    EXPECT_TRUE(says(text.out, part)) << part << "\n" << text.out;
  EXPECT_EQ(text.exit, 1);
  EXPECT_FALSE(says(text.out + weir(project, {"doctor", "--json"}).out, kMyToken));
}

TEST_F(Credentials, for_another_port_of_a_host_are_a_hint_of_doctor) {
  const FaultyServer server;
  credentials(credential("127.0.0.1", "token-env = \"MY_SECRET\"\nallow-http = true\n"));
  remotes({remote_table(server.url("/"))});
  EXPECT_TRUE(says(weir(project, {"doctor"}).out, "host = \"" + host_of(server) + "\""));
  EXPECT_EQ(sent_to(server), "-");
}

// Plain HTTP/2: 418 for those who bring the token, 403 for those who do not.
TEST_F(Credentials, hold_for_grpc_too) {
  const ReservedPort port;
  const Nginx nginx(
      fmt::format("access_log access.log; listen 127.0.0.1:{} http2 reuseport; "
                  "if ($http_authorization = \"{}\") {{ return 418; }} return 403;",
                  port.number(), kBearer));
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  const auto host = fmt::format("127.0.0.1:{}", port.number());
  const auto answers = [&](const std::string& status) {
    weir(project, {"show"});
    return eventually([&] { return says(nginx.folder.read("access.log"), "\" " + status + " "); });
  };
  remotes({remote_table("grpc://" + host + "/main")});
  credentials(credential(host, "token-env = \"MY_SECRET\"\n"));
  EXPECT_TRUE(answers("403")) << nginx.errors();
  EXPECT_FALSE(says(nginx.folder.read("access.log"), "\" 418 "));
  EXPECT_TRUE(says(weir(project, {"doctor"}).out, "not encrypted"));
  credentials(credential(host, "token-env = \"MY_SECRET\"\nallow-http = true\n"));
  EXPECT_TRUE(answers("418")) << nginx.errors();
  credentials(credential(host, "user = \"ann\"\ntoken-env = \"MY_SECRET\"\nallow-http = true\n"));
  EXPECT_TRUE(says(weir(project, {"doctor"}).out, "a user and a password are for http and https only"));
}

// Asks for a password, as servers do.
HttpAnswer who_are_you() {
  return answer::reply({.status = 401, .headers = {{"WWW-Authenticate", "Basic realm=\"git\""}}});
}

constexpr auto kRefsOfLib = "/lib.git/info/refs?service=git-upload-pack";

// A user whose git has passwords for every server.
class GitPasswords : public Credentials {
 protected:
  GitPasswords() {
    private_file("home/.gitconfig",
                 "[include]\n\tpath = helpers\n[http]\n\textraHeader = \"X-Token: " + kMyToken + "\"\n");
    private_file("home/helpers", "[credential]\n\thelper = \"!f() { echo username=ann; echo password=" +
                                     kMyPassword + "; }; f\"\n");
  }
  Finished track(const std::string& url, const std::string& more = "") {
    remotes({});
    project.file("elements/src.toml",
                 "kind = \"import\"\nsource = [{ kind = \"git\", url = " + toml_text(url) + more + " }]\n");
    return weir(project, {"track", "src"});
  }
};

TEST_F(GitPasswords, do_not_go_to_a_server_over_plain_http) {
  FaultyServer server, other;
  server.on(kRefsOfLib, {who_are_you()});
  const auto refused = track(server.url("/lib.git"));
  EXPECT_EQ(refused.exit, 1) << refused.err;
  EXPECT_GT(server.count(), 0u);
  EXPECT_EQ(sent_to(server), "-");
  // One for this server alone, as git's documentation advises.
  project.file("home/helpers",
               "[credential \"" + server.url("") +
                   "\"]\n\thelper = \"!f() { echo username=ann; echo password=" + kMyPassword + "; }; f\"\n");
  track(server.url("/lib.git"));
  EXPECT_EQ(sent_to(server), "-");
}

// The settings of git decide which server is meant.
TEST_F(GitPasswords, do_not_go_over_plain_http_where_settings_put_it_for_another_url) {
  FaultyServer server;
  server.on(kRefsOfLib, {who_are_you()});
  private_file("home/helpers", content(project.path() + "/home/helpers") + "[url \"" + server.url("/") +
                                   "\"]\n\tinsteadOf = https://git.invalid/\n");
  track("https://git.invalid/lib.git");
  EXPECT_GT(server.count(), 0u);
  EXPECT_EQ(sent_to(server), "-");
}

TEST_F(GitPasswords, go_to_a_server_that_asks_over_tls) {
  SecureServer secure;
  ASSERT_TRUE(secure.running());
  secure.server().on(kRefsOfLib, {who_are_you()});
  project.set("GIT_SSL_CAINFO=" + secure.certificate());
  track(secure.url() + "lib.git");
  EXPECT_TRUE(says(sent_to(secure.server()), "Basic ")) << sent_to(secure.server());
}

TEST_F(GitPasswords, no_redirect_leads_from_tls_to_plain_http) {
  SecureServer secure;
  FaultyServer plain;
  ASSERT_TRUE(secure.running());
  secure.server().on(kRefsOfLib, {answer::redirect(plain.url(kRefsOfLib))});
  plain.on(kRefsOfLib, {who_are_you()});
  project.set("GIT_SSL_CAINFO=" + secure.certificate());
  EXPECT_NE(track(secure.url() + "lib.git").exit, 0);
  EXPECT_GT(secure.server().count(), 0u);
  EXPECT_EQ(plain.count(), 0u);
}

TEST_F(GitPasswords, no_submodule_leads_to_plain_http) {
  FaultyServer plain;
  plain.on(kRefsOfLib, {who_are_you()});
  const GitRepository inner(project.path() + "/inner");
  inner.commit("deep", "one\n");
  const GitRepository remote(project.path() + "/remote");
  remote.git({"submodule", "--quiet", "add", inner.path(), "sub"});
  remote.git({"config", "-f", ".gitmodules", "submodule.sub.url", plain.url("/lib.git")});
  remote.git({"commit", "--quiet", "-a", "-m", "with a submodule"});
  ASSERT_EQ(track(remote.path(), ", submodules = true").exit, 0);
  const auto fetched = weir(project, {"fetch", "src"});
  EXPECT_EQ(fetched.exit, 1) << fetched.err;
  EXPECT_TRUE(says(fetched.err, "transport 'http' not allowed")) << fetched.err;
  EXPECT_EQ(plain.count(), 0u);
}

}  // namespace
}  // namespace weir::test
