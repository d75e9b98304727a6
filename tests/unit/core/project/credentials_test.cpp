#include "core/project/credentials.h"

#include <sys/stat.h>

#include "core/project/settings.h"
#include "tests/unit/core/project/project_fixture.h"

namespace weir {
namespace {

class CredentialsTest : public testing::Test {
 protected:
  LoadedSettings load(const std::string& text) {
    folder_.write(".config/weir/config.toml", text);
    const auto home = folder_.path();
    const auto lookup = [&](const char* name) {
      return std::string_view(name) == "HOME" ? home.c_str() : nullptr;
    };
    return load_settings({nullptr, {}, lookup}, {});
  }
  std::string errors(const std::string& text) {
    const auto loaded = load(text);
    return to_text(loaded.diagnostics, loaded.files);
  }
  static std::string named(const std::string& host, const std::string& more = "token-env = \"T\"\n") {
    return "[[credential]]\nhost = \"" + host + "\"\n" + more;
  }
  // The variable of the credential that a URL gets; empty: none.
  static std::string variable_for(const LoadedSettings& loaded, const std::string& url) {
    const auto server = server_of(url);
    const auto* found = server ? find_credential(loaded.settings.credentials, *server) : nullptr;
    return found ? found->token_env : "";
  }
  // Of a file with this content.
  Result<std::string> secret_of_file(const std::string& text, mode_t mode = 0600) {
    folder_.write("secret", text);
    ::chmod((folder_ / "secret").c_str(), mode);
    return secret_of_path(folder_ / "secret");
  }
  static Result<std::string> secret_of_path(const std::string& path) {
    Credential credential;
    credential.host = "host";
    credential.token_file = path;
    credential.place = "config.toml:1:1";
    return read_secret(credential);
  }
  static std::string message(const Result<std::string>& secret) {
    return secret ? "no error: " + *secret : to_text(secret.error());
  }

  TemporaryFolder folder_;
};

TEST_F(CredentialsTest, every_key_is_read) {
  const auto loaded = load(
      "[[credential]]\nhost = \"Cache.Example:8443\"\nuser = \"ann\"\ntoken-file = \"~/t\"\n"
      "ca = \"ca.pem\"\nallow-http = true\n[[credential]]\nhost = \"[::1]\"\ntoken-env = \"T\"\n");
  ASSERT_TRUE(loaded.ok()) << to_text(loaded.diagnostics, loaded.files);
  const auto& [first, second] =
      std::tie(loaded.settings.credentials.at(0), loaded.settings.credentials.at(1));
  EXPECT_EQ(first.host, "cache.example");
  EXPECT_EQ(first.port, 8443);
  EXPECT_EQ(first.user, "ann");
  EXPECT_EQ(first.token_file, folder_ / "t");
  EXPECT_EQ(first.ca, folder_ / ".config/weir/ca.pem");
  EXPECT_TRUE(first.allow_http);
  EXPECT_EQ(first.place, folder_ / ".config/weir/config.toml:1:1");
  EXPECT_EQ(shown_host(first), "cache.example:8443");
  EXPECT_EQ(second.host, "[::1]");
  EXPECT_EQ(second.token_env, "T");
  EXPECT_FALSE(second.allow_http);
  EXPECT_EQ(shown_host(second), "[::1]");
}

TEST_F(CredentialsTest, without_a_port_it_is_for_the_default_port_of_the_scheme) {
  const auto loaded = load(named("cache.example"));
  for (const auto* url : {"https://cache.example", "https://CACHE.example:443/x", "http://cache.example/",
                          "http://cache.example:80", "grpcs://cache.example/main", "shelf://cache.example/"})
    EXPECT_EQ(variable_for(loaded, url), "T") << url;
  for (const auto* url :
       {"https://cache.example:8443/", "http://cache.example:443/", "https://cache.example:80/",
        "grpc://cache.example:443/", "shelf://cache.example:1/", "https://www.cache.example/",
        "https://example/", "https://cache.example.evil/", "https://xcache.example/",
        "https://cache.example./"})
    EXPECT_EQ(variable_for(loaded, url), "") << url;
}

TEST_F(CredentialsTest, one_with_the_port_is_preferred) {
  const auto loaded =
      load(named("host", "token-env = \"ANY\"\n") + named("host:443", "token-env = \"TLS\"\n") +
           named("host:9000", "token-env = \"GRPC\"\n") + named("[::1]:9000"));
  EXPECT_EQ(variable_for(loaded, "https://host/"), "TLS");
  EXPECT_EQ(variable_for(loaded, "http://host/"), "ANY");
  EXPECT_EQ(variable_for(loaded, "grpc://host:9000/main"), "GRPC");
  EXPECT_EQ(variable_for(loaded, "grpcs://[::1]:9000"), "T");
  EXPECT_EQ(variable_for(loaded, "grpcs://[::2]:9000"), "");
}

TEST_F(CredentialsTest, a_url_that_readers_could_take_apart_in_different_ways_has_no_server) {
  for (const auto* url : {"https://ann:pw@host/",
                          "https://host@evil/",
                          "https://evil\\@host/",
                          "https://host\\.evil/",
                          "https:/host/",
                          "https:///host/",
                          "https:host",
                          "https://host:/",
                          "https://host:0/",
                          "https://host:65536/",
                          "https://host:80:80/",
                          "https://host :443/",
                          "https://ho\tst/",
                          "https://h%6fst/",
                          "https://host%00.evil/",
                          "https://h\xc3\xb6st/",
                          "https://[::1/",
                          "https://::1/",
                          "https://[::1]x/",
                          "https://[fe80::1%25eth0]/",
                          "//host/",
                          "dir:/folder",
                          "HTTPS://host/",
                          "https://",
                          ""})
    EXPECT_FALSE(server_of(url)) << url;
  EXPECT_EQ(server_of("https://host?x@evil")->host, "host");
  EXPECT_EQ(server_of("https://host#@evil")->host, "host");
}

TEST_F(CredentialsTest, tls_alone_is_encrypted) {
  for (const auto* url : {"https://host/", "grpcs://host/"})
    EXPECT_TRUE(is_encrypted(*server_of(url))) << url;
  for (const auto* url :
       {"http://host/", "grpc://host:1/", "http://127.0.0.1/", "http://localhost/", "nfs://host/"})
    EXPECT_FALSE(is_encrypted(*server_of(url))) << url;
}

TEST_F(CredentialsTest, mistakes_are_told_with_their_places) {
  const struct {
    std::string text, place, message;
  } kRows[] = {
      {"[[credential]]\ntoken-env = \"T\"\n", ":1:1", "[[credential]] has no host"},
      {named("https://host"), ":2:8", "\"https://host\" is not a host"},
      {named("host/path"), ":2:8", "is not a host"},
      {named("ann@host"), ":2:8", "is not a host"},
      {named("*.host"), ":2:8", "is not a host"},
      {named("host:http"), ":2:8", "is not a host"},
      {named("host", ""), ":1:1", "must have either token-env or token-file"},
      {named("host", "token-env = \"T\"\ntoken-file = \"f\"\n"), ":1:1", "must have either"},
      {named("host", "token-env = \"A=b\"\n"), ":3:13", "not the name of a variable"},
      {named("host", "token-env = \"T\"\nuser = \"a:b\"\n"), ":4:8", "user holds a colon"},
      {named("host", "token-env = \"T\"\nallow-http = \"yes\"\n"), ":4:14", "must be true or false"},
      {named("host", "token = \"secret\"\n"), ":3:1", "unknown key \"token\""},
      {named("host") + named("HOST"), ":5:8", "duplicate [[credential]] for \"HOST\""},
      {named("host:80") + named("host:80"), ":5:8", "duplicate"},
      {"credential = 1\n", ":1:14", "must be an array"},
  };
  for (const auto& [text, place, message] : kRows) {
    const auto told = errors(text);
    EXPECT_NE(told.find("config.toml" + place + ": error: "), told.npos) << message << "\n" << told;
    EXPECT_NE(told.find(message), told.npos) << message << "\n" << told;
  }
  EXPECT_EQ(errors(named("host") + named("host:80") + named("other")), "");
}

TEST_F(CredentialsTest, a_token_in_a_remote_of_a_project_or_of_the_settings_is_an_error) {
  const auto loaded =
      load_texts("[[remote]]\nurl = \"https://cache.example:8443/x\"\ntoken-env = \"SECRET\"\n");
  EXPECT_EQ(
      errors_of(loaded),
      "weir.toml:4:13: error: token-env is not allowed in [[remote]]: only [[credential]] may name a secret\n"
      "    4 | token-env = \"SECRET\"\n"
      "      |             ^\n"
      "  remove it, and add this to ~/.config/weir/config.toml:\n"
      "    [[credential]]\n"
      "    host = \"cache.example:8443\"\n"
      "    token-env = \"NAME\"\n");
  const auto own = errors("[[remotes]]\ntoken-env = \"SECRET\"\nurl = \"https://cache.example/\"\n");
  EXPECT_NE(own.find("config.toml:2:13: error: token-env is not allowed in [[remotes]]"), own.npos) << own;
  EXPECT_NE(own.find("host = \"cache.example\"\n"), own.npos) << own;
}

TEST_F(CredentialsTest, certificates_of_the_user_lie_beside_the_settings) {
  const auto loaded = load("[[remotes]]\nurl = \"https://a\"\nca = \"ca.pem\"\n");
  EXPECT_EQ(loaded.settings.remotes.value.at(0).ca, folder_ / ".config/weir/ca.pem");
}

TEST_F(CredentialsTest, one_line_end_is_no_part_of_a_secret) {
  for (const auto* text : {"s3cret", "s3cret\n", "s3cret\r\n"})
    EXPECT_EQ(message(secret_of_file(text)), "no error: s3cret") << text;
}

TEST_F(CredentialsTest, files_that_are_refused) {
  for (const mode_t mode : {0640, 0604, 0660, 0622, 0610}) {
    const auto told = message(secret_of_file("s3cret", mode));
    EXPECT_NE(told.find("chmod 600 " + (folder_ / "secret")), told.npos) << told;
  }
  const struct {
    std::string content, message;
  } kRows[] = {{"", "is empty"},
               {"\n", "is empty"},
               {"s3cret\n\n", "characters"},
               {"s3cret\nX-Header: y", "characters"},
               {std::string("s3\0cret", 7), "characters"},
               {"s3cret and more", "characters"},
               {std::string(20'000, 's'), "is too long"}};
  for (const auto& [content, word] : kRows) {
    const auto told = message(secret_of_file(content));
    EXPECT_NE(told.find("config.toml:1:1: token file " + (folder_ / "secret")), told.npos) << told;
    EXPECT_NE(told.find(word), told.npos) << told;
    EXPECT_EQ(told.find("s3cret"), told.npos) << told;
  }
}

TEST_F(CredentialsTest, what_is_no_file_of_ones_own_is_refused_at_once) {
  EXPECT_EQ(message(secret_of_file("s3cret")), "no error: s3cret");
  std::filesystem::create_symlink(folder_ / "secret", folder_ / "link");
  ASSERT_EQ(::mkfifo((folder_ / "fifo").c_str(), 0600), 0);
  for (const auto& [name, word] :
       {std::pair("link", "symbolic link"), std::pair("fifo", "not a regular file"),
        std::pair(".", "not a regular file"), std::pair("gone", "No such file")}) {
    const auto told = message(secret_of_path(folder_ / name));
    EXPECT_NE(told.find(word), told.npos) << told;
  }
  if (::geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(::chown((folder_ / "secret").c_str(), 65534, 65534), 0);
  const auto told = message(secret_of_path(folder_ / "secret"));
  EXPECT_NE(told.find("belongs to another user"), told.npos) << told;
}

TEST_F(CredentialsTest, a_password_may_have_what_a_token_may_not) {
  Credential credential;
  credential.token_env = "WEIR_TEST_SECRET";
  ::setenv("WEIR_TEST_SECRET", "with spaces and \xc3\xb6", 1);
  EXPECT_FALSE(read_secret(credential));
  credential.user = "ann";
  EXPECT_TRUE(read_secret(credential));
  ::setenv("WEIR_TEST_SECRET", "two\r\nlines", 1);
  EXPECT_FALSE(read_secret(credential));
  ::unsetenv("WEIR_TEST_SECRET");
  EXPECT_EQ(read_secret(credential).value(), "");
}

}  // namespace
}  // namespace weir
