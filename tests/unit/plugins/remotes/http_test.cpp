// The http remote across the border: against nginx as it is set up for it, and against a server that
// misbehaves.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <ctime>

#include "tests/support/faulty_server.h"
#include "tests/support/nginx.h"
#include "tests/support/remote_probe.h"

namespace weir {
namespace {

using std::chrono::seconds;

const std::string kBody(100'000, 'b');
// To connect to a server of this test: a busy machine is not what these tests are about.
constexpr auto kPatient = std::chrono::minutes(10);

std::string path_of(const RemoteName& name, const std::string& kind = "cas") {
  return "/" + kind + "/" + std::string(name.hash.begin(), name.hash.end());
}

// A server with a row of answers for one blob, and a remote on it.
struct Faulty {
  explicit Faulty(std::vector<HttpAnswer> answers, const std::string& token = {},
                  const std::string& userinfo = {})
      : probe({fmt::format("http://{}127.0.0.1:{}", userinfo, server.port()), token, {}, kPatient}) {
    server.on(path_of(name), std::move(answers));
  }
  FaultyServer server;
  RemoteProbe probe;
  const RemoteName name = name_of(kBody);
};

UniqueFd empty_file() { return UniqueFd(::memfd_create("test", MFD_CLOEXEC)); }

std::string bytes_in(int fd) {
  std::string text(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  return ::pread(fd, text.data(), text.size(), 0) < 0 ? "" : text;
}

void expect_round_trips(RemoteProbe& probe) {
  ASSERT_TRUE(probe.is_open()) << probe.error().message;
  EXPECT_EQ(probe.get(name_of("hello")).outcome, RemoteOutcome::missing);
  const auto put = probe.put("hello");
  EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_EQ(probe.get(name_of("hello")).bytes, "hello");
  EXPECT_EQ(probe.put("").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get(name_of("")).outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.has({name_of("other"), name_of("hello"), name_of("")}).there,
            std::vector<bool>({false, true, true}));

  const auto key = name_of("key");
  EXPECT_EQ(probe.get_record(key).outcome, RemoteOutcome::missing);
  EXPECT_EQ(probe.put_record(key, "old").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.put_record(key, "a newer one").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get_record(key).bytes, "a newer one");
  EXPECT_EQ(probe.has_record({key, name_of("hello")}).there, std::vector<bool>({true, false}));
}

void expect_large_blob(RemoteProbe& probe) {
  std::string large(64 << 20, '\0');
  for (std::size_t i = 0; i < large.size(); i += 61) large[i] = static_cast<char>(i);
  const auto put = probe.put(large);
  EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_EQ(put.moved, large.size());
  const auto got = probe.get(name_of(large));
  EXPECT_EQ(got.outcome, RemoteOutcome::done) << got.message;
  EXPECT_EQ(got.moved, large.size());
  EXPECT_TRUE(got.bytes == large);
}

// What may work if it is tried again is tried again, as weir does it: nginx ends a connection after so many
// requests, and one that is on its way just then is lost.
template <class Again>
RemoteOutcome outcome_of(RemoteProbe& probe, std::uint64_t operation, const Again& again) {
  auto outcome = probe.wait(operation).outcome;
  for (int i = 0; i < 3 && outcome == RemoteOutcome::trouble; ++i) outcome = probe.wait(again()).outcome;
  return outcome;
}

void expect_a_thousand_at_once(RemoteProbe& probe) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);

  std::vector<RemoteName> names;
  std::vector<UniqueFd> sources, sinks;
  std::vector<std::uint64_t> running;
  for (int i = 0; i < 1000; ++i) {
    names.push_back(name_of(std::to_string(i)));
    write_all(sources.emplace_back(empty_file()).get(), std::to_string(i));
    running.push_back(probe.start(RemoteAction::put, {names.back()}, sources.back().get(), 0));
  }
  for (std::size_t i = 0; i < running.size(); ++i) {
    const auto again = [&] { return probe.start(RemoteAction::put, {names[i]}, sources[i].get(), 0); };
    ASSERT_EQ(outcome_of(probe, running[i], again), RemoteOutcome::done);
  }
  sources.clear();

  auto asked = names;
  asked.push_back(name_of("nothing"));
  auto there = probe.has(asked).there;
  EXPECT_FALSE(there.back());
  there.pop_back();
  EXPECT_EQ(there, std::vector<bool>(1000, true));

  running.clear();
  for (const auto& name : names)
    running.push_back(probe.start(RemoteAction::get, {name}, sinks.emplace_back(empty_file()).get(), 0));
  for (std::size_t i = 0; i < running.size(); ++i) {
    const auto again = [&] {
      return probe.start(RemoteAction::get, {names[i]}, (sinks[i] = empty_file()).get(), 0);
    };
    ASSERT_EQ(outcome_of(probe, running[i], again), RemoteOutcome::done);
    ASSERT_EQ(bytes_in(sinks[i].get()), std::to_string(i));
  }
}

RemoteAddress secure(const Nginx& nginx, const std::string& host = "127.0.0.1") {
  return {nginx.secure_url("/weir/", host), {}, nginx.folder / "certificate.pem", kPatient};
}

TEST(HttpRemote, what_is_put_can_be_got) {
  const Nginx nginx(Nginx::kTakesUploads);
  ASSERT_TRUE(nginx.running()) << nginx.errors();
  RemoteProbe probe(nginx.url("/some/where//"));
  expect_round_trips(probe);
  const auto name = name_of("hello");
  EXPECT_EQ(nginx.folder.read("www/some/where" + path_of(name)), "hello") << "as Bazel lays it out";
}

TEST(HttpRemote, large_blobs_come_and_go_in_pieces) {
  const Nginx nginx(Nginx::kTakesUploads);
  RemoteProbe probe(nginx.url(""));
  expect_large_blob(probe);
}

TEST(HttpRemote, a_thousand_blobs_at_once) {
  const Nginx nginx(Nginx::kTakesUploads);
  RemoteProbe probe(nginx.url(""));
  expect_a_thousand_at_once(probe);
}

TEST(HttpRemote, https_with_http1) {
  const Nginx nginx({}, Nginx::kTakesUploads);
  RemoteProbe probe(secure(nginx));
  expect_round_trips(probe);
  expect_large_blob(probe);
}

TEST(HttpRemote, https_with_http2) {
  const Nginx nginx({}, std::string("access_log access.log;") + Nginx::kTakesUploads, "http2");
  RemoteProbe probe(secure(nginx));
  expect_round_trips(probe);
  expect_large_blob(probe);
  expect_a_thousand_at_once(probe);
  const auto log = nginx.folder.read("access.log");
  EXPECT_NE(log.find("HTTP/2.0"), log.npos);
  EXPECT_EQ(log.find("HTTP/1"), log.npos);
}

TEST(HttpRemote, certificates_that_nobody_trusts_are_refused) {
  const Nginx nginx;
  RemoteProbe probe(nginx.secure_url("/"));
  const auto answer = probe.get(name_of(kBody));
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused);
  EXPECT_NE(answer.message.find("certificate"), std::string::npos) << answer.message;
}

TEST(HttpRemote, certificates_of_another_host_are_refused) {
  const Nginx nginx;
  RemoteProbe probe(secure(nginx, "localhost"));
  EXPECT_EQ(probe.get(name_of(kBody)).outcome, RemoteOutcome::refused);
}

TEST(HttpRemote, a_server_that_takes_no_uploads_is_refused) {
  const Nginx nginx;
  RemoteProbe probe(nginx.url(""));
  const auto answer = probe.put("hello");
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused);
  EXPECT_NE(answer.message.find("the server answered 405"), std::string::npos) << answer.message;
}

TEST(HttpRemote, statuses_and_what_they_mean) {
  const struct {
    int status;
    RemoteOutcome get, put;
  } kRows[] = {
      {400, RemoteOutcome::refused, RemoteOutcome::refused},
      {401, RemoteOutcome::refused, RemoteOutcome::refused},
      {403, RemoteOutcome::refused, RemoteOutcome::refused},
      {404, RemoteOutcome::missing, RemoteOutcome::refused},
      {405, RemoteOutcome::refused, RemoteOutcome::refused},
      {407, RemoteOutcome::refused, RemoteOutcome::refused},
      {408, RemoteOutcome::trouble, RemoteOutcome::trouble},
      {410, RemoteOutcome::missing, RemoteOutcome::refused},
      {411, RemoteOutcome::refused, RemoteOutcome::refused},
      {413, RemoteOutcome::trouble, RemoteOutcome::trouble},
      {425, RemoteOutcome::trouble, RemoteOutcome::trouble},
      {429, RemoteOutcome::trouble, RemoteOutcome::trouble},
      {500, RemoteOutcome::trouble, RemoteOutcome::trouble},
      {501, RemoteOutcome::refused, RemoteOutcome::refused},
      {503, RemoteOutcome::trouble, RemoteOutcome::trouble},
      {206, RemoteOutcome::trouble, RemoteOutcome::done},
      {304, RemoteOutcome::trouble, RemoteOutcome::trouble},
  };
  for (const auto& row : kRows) {
    Faulty faulty({answer::status(row.status)});
    EXPECT_EQ(faulty.probe.get(faulty.name).outcome, row.get) << row.status;
    EXPECT_EQ(faulty.probe.put(kBody).outcome, row.put) << row.status;
    const auto has = faulty.probe.has({faulty.name});
    EXPECT_EQ(has.outcome, row.get == RemoteOutcome::missing ? RemoteOutcome::done : row.get) << row.status;
    EXPECT_EQ(has.there, std::vector<bool>(row.get == RemoteOutcome::missing ? 1 : 0, false)) << row.status;
  }
}

TEST(HttpRemote, messages_name_the_server_and_what_it_said) {
  Faulty faulty({answer::status(403)});
  EXPECT_EQ(faulty.probe.get(faulty.name).message,
            fmt::format("127.0.0.1:{}: the server answered 403; check the token", faulty.server.port()));
}

TEST(HttpRemote, an_error_page_is_no_blob) {
  Faulty faulty({answer::status(500)});
  EXPECT_EQ(faulty.probe.get(faulty.name).bytes, "");
  Faulty endless({answer::reply({503, {}, std::string(1 << 20, 'x')})});
  EXPECT_NE(endless.probe.get(endless.name).message.find("answered 503"), std::string::npos);
}

TEST(HttpRemote, a_server_says_when_to_ask_again) {
  char date[64];
  const auto later = std::time(nullptr) + 100;
  std::strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", std::gmtime(&later));
  Faulty faulty({answer::reply({429, {{"Retry-After", "7"}}, {}}),
                 answer::reply({503, {{"Retry-After", date}}, {}}), answer::status(500)});
  EXPECT_EQ(faulty.probe.get(faulty.name).retry_after, seconds(7));
  const auto by_date = faulty.probe.put(kBody).retry_after;
  EXPECT_GT(by_date, seconds(40));
  EXPECT_LE(by_date, seconds(100));
  EXPECT_EQ(faulty.probe.get(faulty.name).retry_after, seconds(0));
}

TEST(HttpRemote, an_upload_arrives_whole_and_without_asking_first) {
  Faulty faulty({answer::reply({201, {}, {}})});
  EXPECT_EQ(faulty.probe.put(kBody).outcome, RemoteOutcome::done);
  const auto request = faulty.server.requests().at(0);
  EXPECT_EQ(request.method, "PUT");
  EXPECT_EQ(request.body, kBody);
  EXPECT_EQ(request.header("expect"), "");
  EXPECT_EQ(request.header("content-length"), std::to_string(kBody.size()));
}

TEST(HttpRemote, a_connection_that_ends_in_the_middle_is_trouble) {
  Faulty faulty({answer::cut(kBody, 1000), answer::hang_up(),
                 answer::reply({200, {}, kBody, 5000, HttpReply::Then::reset})});
  const auto cut = faulty.probe.get(faulty.name);
  EXPECT_EQ(cut.outcome, RemoteOutcome::trouble);
  EXPECT_NE(cut.message.find("truncated"), std::string::npos) << cut.message;
  EXPECT_EQ(faulty.probe.get(faulty.name).outcome, RemoteOutcome::trouble);
  EXPECT_EQ(faulty.probe.get(faulty.name).outcome, RemoteOutcome::trouble);
}

// As an answer to the question whether it is there. Trouble would be tried again, and never be replaced.
TEST(HttpRemote, an_answer_of_another_length_is_another_blob) {
  Faulty faulty({answer::whole(kBody.substr(1)), answer::whole(""), answer::whole(kBody + "!")});
  EXPECT_EQ(faulty.probe.get(faulty.name).outcome, RemoteOutcome::missing);
  EXPECT_EQ(faulty.probe.get(faulty.name).outcome, RemoteOutcome::missing);
  const auto longer = faulty.probe.get(faulty.name);
  EXPECT_EQ(longer.outcome, RemoteOutcome::missing);
  EXPECT_NE(longer.message.find("a blob has 100001 bytes instead of 100000"), std::string::npos)
      << longer.message;
  EXPECT_LE(longer.bytes.size(), kBody.size());
}

TEST(HttpRemote, a_record_may_have_any_length_up_to_the_limit) {
  Faulty faulty({});
  faulty.server.on(path_of(faulty.name, "ac"), {answer::whole("record")});
  EXPECT_EQ(faulty.probe.get_record(faulty.name, 6).bytes, "record");
  EXPECT_EQ(faulty.probe.get_record(faulty.name, 100).bytes, "record");
  EXPECT_EQ(faulty.probe.get_record(faulty.name, 5).outcome, RemoteOutcome::trouble);
}

TEST(HttpRemote, a_blob_of_another_length_is_not_there) {
  Faulty faulty({answer::whole(kBody), answer::whole("damaged"), answer::reply({204, {}, {}})});
  EXPECT_EQ(faulty.probe.has({faulty.name}).there, std::vector<bool>({true}));
  EXPECT_EQ(faulty.probe.has({faulty.name}).there, std::vector<bool>({false}));
  EXPECT_EQ(faulty.probe.has({faulty.name}).there, std::vector<bool>({true}))
      << "204 says nothing of a length";
}

TEST(HttpRemote, one_bad_answer_ends_a_question_about_many) {
  Faulty faulty({answer::status(503)});
  std::vector<RemoteName> names;
  for (int i = 0; i < 200; ++i) names.push_back(name_of(std::to_string(i)));
  names.insert(names.begin() + 100, faulty.name);
  EXPECT_EQ(faulty.probe.has(names).outcome, RemoteOutcome::trouble);
  EXPECT_EQ(faulty.probe.has({}).outcome, RemoteOutcome::done);
}

TEST(HttpRemote, a_question_about_many_tells_how_many_are_answered) {
  Faulty faulty({answer::whole(kBody)});
  std::vector<RemoteName> names(1, faulty.name);
  for (int i = 0; i < 99; ++i) names.push_back(name_of(std::to_string(i)));
  EXPECT_EQ(faulty.probe.has(names).moved, 100u);
}

TEST(HttpRemote, a_question_about_many_holds_up_nobody) {
  Faulty faulty({answer::whole(kBody)});
  std::vector<RemoteName> names;
  for (int i = 0; i < 20'000; ++i) names.push_back(name_of(std::to_string(i)));
  const auto question = faulty.probe.start(RemoteAction::has, names, -1, 0);
  EXPECT_EQ(faulty.probe.get(faulty.name).bytes, kBody);
  EXPECT_LT(faulty.server.count(), names.size());
  faulty.probe.cancel(question);
  EXPECT_EQ(faulty.probe.wait(question).outcome, RemoteOutcome::cancelled);
}

TEST(HttpRemote, the_token_reaches_the_server) {
  Faulty faulty({answer::whole(kBody)}, "sesame");
  EXPECT_EQ(faulty.probe.get(faulty.name).bytes, kBody);
  faulty.probe.has({faulty.name});
  faulty.probe.put(kBody);
  for (const auto& request : faulty.server.requests())
    EXPECT_EQ(request.header("authorization"), "Bearer sesame") << request.method;
}

TEST(HttpRemote, a_redirect_to_another_port_goes_without_credentials) {
  FaultyServer elsewhere;
  elsewhere.on("/signed?key=1", {answer::whole(kBody)});
  const HttpAnswer away = answer::redirect(elsewhere.url("/signed?key=1"));
  for (const bool token : {true, false}) {
    Faulty faulty({away}, token ? "sesame" : "", token ? "" : "ann:sesame@");
    EXPECT_EQ(faulty.probe.get(faulty.name).bytes, kBody);
    EXPECT_EQ(faulty.probe.has({faulty.name}).there, std::vector<bool>({true}));
    EXPECT_NE(faulty.server.requests().at(0).header("authorization"), "");
  }
  ASSERT_EQ(elsewhere.count(), 4u);
  for (const auto& request : elsewhere.requests()) EXPECT_EQ(request.header("authorization"), "");
}

TEST(HttpRemote, credentials_in_a_redirect_are_not_ours_to_send) {
  FaultyServer elsewhere;
  elsewhere.on("/x", {answer::whole(kBody)});
  Faulty faulty({answer::redirect(fmt::format("http://bob:secret@127.0.0.1:{}/x", elsewhere.port()))});
  EXPECT_EQ(faulty.probe.get(faulty.name).bytes, kBody);
  EXPECT_EQ(elsewhere.requests().at(0).header("authorization"), "");
}

TEST(HttpRemote, a_redirect_to_the_same_server_keeps_the_token) {
  Faulty faulty({answer::redirect("/moved", 307)}, "sesame");
  faulty.server.on("/moved", {answer::whole(kBody)});
  EXPECT_EQ(faulty.probe.get(faulty.name).bytes, kBody);
  EXPECT_EQ(faulty.server.requests().at(1).header("authorization"), "Bearer sesame");
}

TEST(HttpRemote, redirects_end) {
  Faulty faulty({});
  faulty.server.on(path_of(faulty.name), {answer::redirect(path_of(faulty.name))});
  const auto loop = faulty.probe.get(faulty.name);
  EXPECT_EQ(loop.outcome, RemoteOutcome::refused);
  EXPECT_NE(loop.message.find("more than 5 redirects"), std::string::npos) << loop.message;
  EXPECT_EQ(faulty.server.count(), 6u);
}

TEST(HttpRemote, redirects_that_are_not_followed) {
  Faulty faulty(
      {answer::redirect("ftp://127.0.0.1/x"), answer::reply({302, {}, {}}), answer::redirect("/moved")});
  EXPECT_EQ(faulty.probe.get(faulty.name).outcome, RemoteOutcome::refused);
  EXPECT_EQ(faulty.probe.get(faulty.name).outcome, RemoteOutcome::trouble) << "without a place";
  EXPECT_EQ(faulty.probe.put(kBody).outcome, RemoteOutcome::refused);
  EXPECT_EQ(faulty.server.count(), 3u);

  const Nginx nginx({}, "return 302 http://127.0.0.1:1/;");
  RemoteProbe down(secure(nginx));
  const auto answer = down.get(faulty.name);
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused);
  EXPECT_NE(answer.message.find("from https to http"), std::string::npos) << answer.message;
}

TEST(HttpRemote, a_name_and_a_password_in_the_url_are_sent_and_never_shown) {
  Faulty faulty({answer::status(403), answer::hang_up()}, {}, "ann:ses%61me@");
  const auto refused = faulty.probe.get(faulty.name).message;
  EXPECT_EQ(faulty.server.requests().at(0).header("authorization"), "Basic YW5uOnNlc2FtZQ==");
  const auto cut = faulty.probe.get(faulty.name).message;
  for (const auto& message : {refused, cut}) {
    EXPECT_EQ(message.find("ann"), message.npos) << message;
    EXPECT_EQ(message.find("ses"), message.npos) << message;
  }
}

// A project names the server: it would get the password of the user for that host.
TEST(HttpRemote, netrc_is_not_read) {
  const TemporaryFolder folder;
  folder.write(".netrc", "machine 127.0.0.1 login ann password sesame\n");
  const std::string home = ::getenv("HOME") ? ::getenv("HOME") : "/";
  ::setenv("NETRC", (folder / ".netrc").c_str(), 1);
  ::setenv("HOME", folder.path().c_str(), 1);
  Faulty faulty({answer::whole(kBody)});
  EXPECT_EQ(faulty.probe.get(faulty.name).bytes, kBody);
  ::unsetenv("NETRC");
  ::setenv("HOME", home.c_str(), 1);
  EXPECT_EQ(faulty.server.requests().at(0).header("authorization"), "");
}

TEST(HttpRemote, a_user_and_a_password_are_sent_as_they_are_and_nowhere_else) {
  FaultyServer server, elsewhere;
  elsewhere.on("/x", {answer::whole(kBody)});
  RemoteProbe probe({server.url("/"), "se:s@m/e%", {}, kPatient, "ann@home"});
  const auto name = name_of(kBody);
  server.on(path_of(name), {answer::redirect(elsewhere.url("/x"))});
  EXPECT_EQ(probe.get(name).bytes, kBody);
  EXPECT_EQ(server.requests().at(0).header("authorization"), "Basic YW5uQGhvbWU6c2U6c0BtL2Ul");
  EXPECT_EQ(elsewhere.requests().at(0).header("authorization"), "");
}

TEST(HttpRemote, a_stalled_get_can_be_cancelled) {
  Faulty faulty({answer::stall(kBody, 1000)});
  const auto file = empty_file();
  const auto operation = faulty.probe.start(RemoteAction::get, {faulty.name}, file.get(), 0);
  ASSERT_TRUE(faulty.server.wait_for_requests(1));
  faulty.probe.cancel(operation + 1);
  faulty.probe.cancel(operation);
  EXPECT_EQ(faulty.probe.wait(operation).outcome, RemoteOutcome::cancelled);
  faulty.probe.cancel(operation);
  EXPECT_EQ(faulty.probe.get(name_of("other")).outcome, RemoteOutcome::missing) << "and it goes on";
}

TEST(HttpRemote, closing_does_not_wait_for_what_is_stalled) {
  const auto file = empty_file();
  Faulty faulty({answer::stall(kBody, 1000)});
  faulty.probe.start(RemoteAction::get, {faulty.name}, file.get(), 0);
  ASSERT_TRUE(faulty.server.wait_for_requests(1));
}

TEST(HttpRemote, a_port_where_nobody_listens_is_trouble) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  RemoteProbe probe(fmt::format("http://127.0.0.1:{}/", ntohs(address.sin_port)));
  const auto answer = probe.put("hello");
  EXPECT_EQ(answer.outcome, RemoteOutcome::trouble);
  EXPECT_NE(answer.message.find(fmt::format("127.0.0.1:{}: ", ntohs(address.sin_port))), std::string::npos)
      << answer.message;
}

TEST(HttpRemote, a_proxy_that_wants_a_login_is_refused) {
  FaultyServer proxy;
  proxy.on("cache.invalid:443", {answer::status(407)});
  ::setenv("https_proxy", proxy.url("").c_str(), 1);
  RemoteProbe probe({"https://cache.invalid/", "sesame", {}, kPatient});
  const auto answer = probe.get(name_of(kBody));
  ::unsetenv("https_proxy");
  EXPECT_EQ(answer.outcome, RemoteOutcome::refused) << answer.message;
  EXPECT_NE(answer.message.find("answered 407"), std::string::npos) << answer.message;
  EXPECT_EQ(proxy.requests().at(0).header("authorization"), "") << "the token is not for the proxy";
}

TEST(HttpRemote, a_full_disk_is_told) {
  Faulty faulty({answer::whole(kBody)});
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const auto answer = faulty.probe.wait(faulty.probe.start(RemoteAction::get, {faulty.name}, full.get(), 0));
  EXPECT_EQ(answer.outcome, RemoteOutcome::trouble);
  EXPECT_EQ(answer.message, "writing: No space left on device");
}

TEST(HttpRemote, a_file_that_is_shorter_than_told_is_not_sent_as_if_whole) {
  Faulty faulty({answer::reply({201, {}, {}})});
  EXPECT_EQ(faulty.probe.put(faulty.name, "short").outcome, RemoteOutcome::trouble);
  EXPECT_EQ(faulty.server.count(), 0u);
}

TEST(HttpRemote, settings_that_are_refused) {
  const struct {
    RemoteAddress address;
    std::string message;
  } kRows[] = {
      {{"http://ann:sesame@host/a?b=c", {}, {}, seconds(1)}, "no query"},
      {{"http://ann:sesame@host/a#b", {}, {}, seconds(1)}, "no fragment"},
      {{"http://ann:sesame@ho st/", {}, {}, seconds(1)}, "cannot be read"},
      {{"http://ann:sesame@:80:80/", {}, {}, seconds(1)}, "cannot be read"},
      {{"http://ann:sesame@host/", "token", {}, seconds(1)}, "a token, and a name"},
      {{"http://host/", "sesame\r\nX: y", {}, seconds(1)}, "the token has"},
      {{"https://host/", {}, "/nowhere/ca.pem", seconds(1)}, "cannot be read"},
  };
  for (const auto& [address, message] : kRows) {
    const RemoteProbe probe(address);
    EXPECT_FALSE(probe.is_open()) << message;
    EXPECT_NE(probe.error().message.find(message), std::string::npos) << probe.error().message;
    EXPECT_EQ(to_text(probe.error()).find("sesame"), std::string::npos) << to_text(probe.error());
  }
}

}  // namespace
}  // namespace weir
