// weir-transfer download, against a server that misbehaves and against a real nginx.
#include <sys/stat.h>

#include "tests/support/faulty_server.h"
#include "tests/support/nginx.h"
#include "tests/unit/core/exec/transfer_fixture.h"

namespace weir {
namespace {

namespace fs = std::filesystem;

class Download : public TransferTest {
 protected:
  Words words(const std::string& url, const std::string& sha256 = {}) const {
    Words list{"download", "--to", folder_ / "out/file", "--parts", folder_ / "parts"};
    if (!sha256.empty()) list.insert(list.end(), {"--sha256", sha256});
    list.insert(list.end(), {"--", url});
    return list;
  }
  TransferExit get(const std::string& url, const std::string& sha256 = {}) { return run(words(url, sha256)); }
  TransferExit get_body(const std::string& path) { return get(server_.url(path), sha256_of(body_)); }
  std::string file() const { return folder_.read("out/file"); }
  std::string part_name(const std::string& url) const { return "part-" + sha256_of(url); }
  std::uintmax_t part_size(const std::string& url) const {
    std::error_code missing;
    const auto size = fs::file_size(folder_ / ("parts/" + part_name(url)), missing);
    return missing ? 0 : size;
  }
  void expect_nothing_left() const {
    EXPECT_FALSE(fs::exists(folder_ / "out/file"));
    EXPECT_EQ(names_in("parts"), std::vector<std::string>());
  }

  FaultyServer server_;
  const std::string body_ = noise(50'000);
};

TEST_F(Download, a_good_file_arrives_and_leaves_nothing_else) {
  server_.on("/x", {answer::whole(body_)});
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(output_, "");
  EXPECT_EQ(names_in("parts"), std::vector<std::string>());
  EXPECT_EQ(fs::status(folder_ / "out/file").permissions(), fs::perms(0644));
}

TEST_F(Download, an_executable_is_one) {
  server_.on("/x", {answer::whole(body_)});
  auto list = words(server_.url("/x"));
  list.insert(list.begin() + 1, "--executable");
  EXPECT_EQ(run(list), TransferExit::done) << output_;
  EXPECT_EQ(fs::status(folder_ / "out/file").permissions(), fs::perms(0755));
}

TEST_F(Download, an_empty_file_is_a_file) {
  server_.on("/x", {answer::whole("")});
  EXPECT_EQ(get(server_.url("/x"), sha256_of("")), TransferExit::done) << output_;
  EXPECT_TRUE(fs::exists(folder_ / "out/file"));
}

TEST_F(Download, what_was_tracked_is_not_downloaded_again) {
  server_.on("/x", {answer::whole(body_)});
  EXPECT_EQ(get(server_.url("/x")), TransferExit::done) << output_;
  EXPECT_EQ(output_, "sha256 " + sha256_of(body_) + "\n");
  EXPECT_EQ(names_in("parts"), std::vector<std::string>{"sha256-" + sha256_of(body_)});
  fs::rename(folder_ / "out/file", folder_ / "tracked");  // shares its inode with the kept one
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(server_.count(), 1U);
  EXPECT_EQ(names_in("parts"), std::vector<std::string>());
  EXPECT_EQ(fs::hard_link_count(folder_ / "out/file"), 1U);
}

TEST_F(Download, a_damaged_tracked_file_is_dropped_and_downloaded) {
  server_.on("/x", {answer::whole(body_)});
  folder_.write("parts/sha256-" + sha256_of(body_), "damaged");
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(server_.count(), 1U);
  EXPECT_EQ(names_in("parts"), std::vector<std::string>());
}

TEST_F(Download, a_cut_is_gone_on_with_at_once) {
  server_.on("/x", {answer::cut(body_, 1000), answer::cut(body_, 2000), answer::whole(body_)});
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  const auto requests = server_.requests();
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].header("range"), "");
  EXPECT_EQ(requests[1].header("range"), "bytes=1000-");
  EXPECT_EQ(requests[1].header("if-range"), "\"v1\"");
  EXPECT_EQ(requests[2].header("range"), "bytes=3000-");
}

TEST_F(Download, a_later_process_goes_on_where_the_last_one_was_cut) {
  server_.on("/x", {answer::cut(body_, 1000), answer::hang_up(), answer::whole(body_)});
  EXPECT_EQ(get_body("/x"), TransferExit::network);
  EXPECT_FALSE(fs::exists(folder_ / "out/file"));
  EXPECT_EQ(part_size(server_.url("/x")), 1000U);
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(server_.requests().at(2).header("range"), "bytes=1000-");
  EXPECT_EQ(names_in("parts"), std::vector<std::string>());
}

TEST_F(Download, a_killed_process_leaves_what_can_be_gone_on_with) {
  server_.on("/x", {answer::hold(body_, 1000), answer::whole(body_)});
  const auto url = server_.url("/x");
  const auto program = begin(words(url, sha256_of(body_)));
  ASSERT_TRUE(eventually([&] { return part_size(url) == 1000; }));
  program->stop(SIGKILL);
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(server_.requests().at(1).header("range"), "bytes=1000-");
}

TEST_F(Download, a_server_without_ranges_starts_again) {
  server_.on("/x", {answer::cut(body_, 1000), answer::without_ranges(body_)});
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
}

TEST_F(Download, a_file_that_is_shorter_by_now_starts_again) {
  server_.on("/x", {answer::cut(noise(90'000, 7), 60'000), answer::status(416), answer::whole(body_)});
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(server_.requests().at(2).header("range"), "");
}

TEST_F(Download, a_changed_etag_starts_again) {
  server_.on("/x", {answer::cut(noise(90'000, 7), 1000, "\"old\""), answer::whole(body_, "\"new\"")});
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(server_.count(), 2U);
}

TEST_F(Download, a_range_of_another_file_is_not_put_behind_the_old_one) {
  HttpReply wrong{
      206, {{"ETag", "\"new\""}, {"Content-Range", "bytes 1000-49999/50000"}}, body_.substr(1000)};
  server_.on("/x", {answer::cut(noise(90'000, 7), 1000, "\"old\""), answer::reply(wrong),
                    answer::whole(body_, "\"new\"")});
  EXPECT_EQ(get(server_.url("/x")), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
}

TEST_F(Download, a_range_from_the_wrong_place_is_not_used) {
  HttpReply wrong{206, {{"ETag", "\"v1\""}, {"Content-Range", "bytes 900-49999/50000"}}, body_.substr(900)};
  server_.on("/x", {answer::cut(body_, 1000), answer::reply(wrong), answer::whole(body_)});
  EXPECT_EQ(get(server_.url("/x")), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
}

// A server may send less than the rest that was asked for.
TEST_F(Download, a_range_that_ends_early_is_not_the_end_of_the_file) {
  const auto part = [this](const std::string& total) {
    HttpReply reply;
    reply.status = 206;
    reply.headers = {{"ETag", "\"v1\""}, {"Content-Range", "bytes 1000-1999/" + total}};
    reply.body = body_.substr(1000, 1000);
    return answer::reply(reply);
  };
  for (const auto* total : {"50000", "*"}) {
    server_.on("/x", {answer::cut(body_, 1000), part(total), answer::whole(body_)});
    EXPECT_EQ(get(server_.url("/x")), TransferExit::done) << total << output_;
    EXPECT_EQ(sha256_of(file()), sha256_of(body_)) << total;
  }
}

TEST_F(Download, a_part_without_a_strong_validator_is_not_kept) {
  server_.on("/x", {answer::cut(body_, 1000, "W/\"weak\""), answer::whole(body_)});
  EXPECT_EQ(get_body("/x"), TransferExit::network);
  expect_nothing_left();
}

TEST_F(Download, a_part_that_was_damaged_is_downloaded_again) {
  server_.on("/x", {answer::cut(body_, 1000), answer::hang_up(), answer::whole(body_)});
  const auto url = server_.url("/x");
  EXPECT_EQ(get_body("/x"), TransferExit::network);
  folder_.write("parts/" + part_name(url), std::string(1000, 'x'));
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
}

// Without a digest to check the whole against, a part is resumed only if it is what the last process left.
TEST_F(Download, a_part_that_was_damaged_never_becomes_a_ref) {
  const auto url = server_.url("/x");
  const auto changes = {std::string(1000, 'x'), body_.substr(0, 999) + 'x', body_.substr(0, 500)};
  for (const auto& damaged : changes) {
    server_.on("/x", {answer::cut(body_, 1000), answer::hang_up(), answer::whole(body_)});
    EXPECT_EQ(get(url), TransferExit::network);
    folder_.write("parts/" + part_name(url), damaged);
    EXPECT_EQ(get(url), TransferExit::done) << output_;
    EXPECT_EQ(file(), body_);
    EXPECT_EQ(output_, "sha256 " + sha256_of(body_) + "\n");
    EXPECT_EQ(server_.requests().back().header("range"), "");
  }
}

TEST_F(Download, a_part_that_a_killed_process_left_never_becomes_a_ref) {
  server_.on("/x", {answer::hold(body_, 1000), answer::whole(body_)});
  const auto url = server_.url("/x");
  const auto program = begin(words(url));
  ASSERT_TRUE(eventually([&] { return part_size(url) == 1000; }));
  program->stop(SIGKILL);
  folder_.write("parts/" + part_name(url), std::string(1000, 'x'));
  EXPECT_EQ(get(url), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
}

TEST_F(Download, a_part_that_is_whole_is_resumed_without_a_digest) {
  server_.on("/x", {answer::cut(body_, 1000), answer::hang_up(), answer::whole(body_)});
  EXPECT_EQ(get(server_.url("/x")), TransferExit::network);
  EXPECT_EQ(get(server_.url("/x")), TransferExit::done) << output_;
  EXPECT_EQ(server_.requests().back().header("range"), "bytes=1000-");
  EXPECT_EQ(file(), body_);
}

// Neither is written through a link, nor does one keep the file from being downloaded.
TEST_F(Download, links_among_the_downloads_are_replaced) {
  const auto url = server_.url("/x");
  folder_.write("elsewhere", body_);
  fs::create_directories(folder_ / "parts");
  const auto names = {"sha256-" + sha256_of(body_), part_name(url), part_name(url) + ".from"};
  for (const auto& name : names) {
    for (const auto* target : {"elsewhere", "nowhere"}) {
      server_.on("/x", {answer::whole(body_)});
      fs::create_symlink(folder_ / target, folder_ / ("parts/" + name));
      EXPECT_EQ(get_body("/x"), TransferExit::done) << name << output_;
      EXPECT_EQ(file(), body_);
      EXPECT_EQ(folder_.read("elsewhere"), body_);
      EXPECT_FALSE(fs::exists(folder_ / "nowhere"));
      EXPECT_EQ(names_in("parts"), std::vector<std::string>()) << name;
    }
  }
}

TEST_F(Download, wrong_bytes_are_an_error_of_the_source_and_not_kept) {
  server_.on("/x", {answer::whole("something else")});
  EXPECT_EQ(get_body("/x"), TransferExit::source);
  EXPECT_TRUE(says(sha256_of(body_))) << output_;
  EXPECT_TRUE(says(sha256_of("something else"))) << output_;
  EXPECT_TRUE(says("weir track")) << output_;
  expect_nothing_left();
}

TEST_F(Download, statuses_that_may_heal_are_of_the_network_the_others_of_the_source) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    server_.on("/x", {answer::status(status)});
    EXPECT_EQ(get_body("/x"), TransferExit::network) << status;
    EXPECT_TRUE(says(std::to_string(status))) << output_;
  }
  for (const int status : {400, 401, 403, 404, 410, 204, 304}) {
    server_.on("/x", {answer::status(status)});
    EXPECT_EQ(get_body("/x"), TransferExit::source) << status;
    EXPECT_TRUE(says(std::to_string(status))) << output_;
    EXPECT_EQ(says("~/.netrc"), status == 401 || status == 403) << output_;
  }
  expect_nothing_left();
}

TEST_F(Download, a_server_that_is_busy_once_gives_it_later) {
  server_.on("/x", {answer::status(503), answer::whole(body_)});
  EXPECT_EQ(get_body("/x"), TransferExit::network);
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
}

TEST_F(Download, redirects_are_followed) {
  server_.on("/a", {answer::redirect("/b", 301)});
  server_.on("/b", {answer::redirect(server_.url("/c"), 307)});
  server_.on("/c", {answer::whole(body_)});
  EXPECT_EQ(get_body("/a"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
}

TEST_F(Download, a_redirect_loop_ends) {
  server_.on("/a", {answer::redirect("/a")});
  EXPECT_EQ(get_body("/a"), TransferExit::source);
  EXPECT_TRUE(says("redirects")) << output_;
  EXPECT_EQ(server_.count(), 11U);
  expect_nothing_left();
}

TEST_F(Download, a_redirect_leads_to_no_local_file) {
  folder_.write("secret", "secret");
  server_.on("/a", {answer::redirect("file://" + (folder_ / "secret"))});
  EXPECT_EQ(get(server_.url("/a")), TransferExit::source);
  EXPECT_TRUE(says("only http and https")) << output_;
  expect_nothing_left();
}

TEST_F(Download, silence_in_the_middle_is_noticed) {
  environment_ = {"WEIR_DOWNLOAD_STALL=1"};
  server_.on("/x", {answer::stall(body_, 1000)});
  // On a busy machine the server may be silent for so long before it has said anything.
  do {
    ASSERT_EQ(get_body("/x"), TransferExit::network);
    EXPECT_TRUE(says("nothing came for 1 s")) << output_;
  } while (part_size(server_.url("/x")) == 0);
  EXPECT_EQ(part_size(server_.url("/x")), 1000U);
}

TEST_F(Download, no_answer_at_all_is_of_the_network) {
  server_.on("/x", {answer::hang_up()});
  EXPECT_EQ(get_body("/x"), TransferExit::network);
  const auto secure = "https" + server_.url("/x").substr(4);
  EXPECT_EQ(get(secure), TransferExit::network);  // cut in the TLS handshake
  EXPECT_EQ(get("http://127.0.0.1:1/x"), TransferExit::network);
  EXPECT_TRUE(says("connect")) << output_;
  expect_nothing_left();
}

TEST_F(Download, a_host_that_nobody_knows_is_of_the_network) {
  EXPECT_EQ(get("http://weir-test.invalid/x"), TransferExit::network);
  EXPECT_TRUE(says("weir-test.invalid")) << output_;
}

TEST_F(Download, local_files_come_by_url_and_by_path) {
  folder_.write("in/a file", body_);
  EXPECT_EQ(get("file://" + folder_.path() + "/in/a%20file", sha256_of(body_)), TransferExit::done)
      << output_;
  EXPECT_EQ(file(), body_);
  fs::remove(folder_ / "out/file");
  EXPECT_EQ(get(folder_ / "in/a file"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_TRUE(fs::exists(folder_ / "in/a file"));
}

TEST_F(Download, a_local_file_that_is_none_is_of_the_source) {
  ASSERT_EQ(::mkfifo((folder_ / "pipe").c_str(), 0666), 0);
  for (const auto& url :
       {"file://" + folder_.path() + "/none", folder_ / "none", folder_.path(), folder_ / "pipe"})
    EXPECT_EQ(get(url), TransferExit::source) << url;
  expect_nothing_left();
}

TEST_F(Download, other_schemes_are_refused) {
  for (const auto* url : {"ftp://127.0.0.1/x", "ssh://127.0.0.1/x", "relative/path", "", "http://"})
    EXPECT_EQ(get(url), TransferExit::source) << url << output_;
}

TEST_F(Download, two_processes_for_one_url_come_one_after_the_other) {
  server_.on("/x", {answer::hold(body_, 1000), answer::whole(body_)});
  const auto url = server_.url("/x");
  const auto first = begin(words(url));
  ASSERT_TRUE(server_.wait_for_requests(1));
  const auto second =
      begin({"download", "--to", folder_ / "out/second", "--parts", folder_ / "parts", "--", url});
  ASSERT_TRUE(second->wait_for("another process")) << second->text();
  server_.release();
  EXPECT_EQ(first->wait(), 0) << first->text();
  EXPECT_EQ(second->wait(), 0) << second->text();
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(folder_.read("out/second"), body_);
}

TEST_F(Download, encoded_content_stays_as_it_is) {
  server_.on("/x", {answer::reply({200, {{"Content-Encoding", "gzip"}}, body_})});
  EXPECT_EQ(get_body("/x"), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(server_.requests().at(0).header("accept-encoding"), "");
}

// The project chooses the URL: over plain http anybody could read the password.
TEST_F(Download, logins_are_not_sent_over_plain_http) {
  folder_.write(".netrc", "machine 127.0.0.1 login me password hunter2\n");
  server_.on("/a", {answer::redirect("/b")});
  server_.on("/b", {answer::whole(body_)});
  EXPECT_EQ(get_body("/a"), TransferExit::done) << output_;
  for (const auto& request : server_.requests()) EXPECT_EQ(request.header("authorization"), "");
}

TEST_F(Download, passwords_are_not_shown) {
  EXPECT_EQ(get("http://me:hunter2@127.0.0.1:1/x"), TransferExit::network);
  EXPECT_EQ(output_.find("hunter2"), std::string::npos) << output_;
}

TEST_F(Download, a_proxy_is_asked) {
  environment_ = {"http_proxy=" + server_.url("")};
  server_.on("http://weir-test.invalid/x", {answer::whole(body_)});
  EXPECT_EQ(get("http://weir-test.invalid/x", sha256_of(body_)), TransferExit::done) << output_;
  environment_.push_back("no_proxy=weir-test.invalid");
  EXPECT_EQ(get("http://weir-test.invalid/x"), TransferExit::network);
}

TEST_F(Download, what_does_not_fit_on_the_disk_is_noticed_before_it_comes) {
  server_.on("/x", {answer::reply({200, {{"Content-Length", "1000000000000000000"}}, body_})});
  EXPECT_EQ(get_body("/x"), TransferExit::infra);
  EXPECT_TRUE(says("room")) << output_;
  expect_nothing_left();
}

TEST_F(Download, a_file_that_cannot_be_written_is_of_this_machine) {
  server_.on("/x", {answer::whole(body_)});
  Program program({"/bin/sh", "-c", "ulimit -f 8; exec \"$@\"", "sh", WEIR_TRANSFER, "download", "--to",
                   folder_ / "out/file", "--parts", folder_ / "parts", "--", server_.url("/x")},
                  {});
  EXPECT_EQ(program.wait(), static_cast<int>(TransferExit::infra)) << program.text();
  expect_nothing_left();
}

TEST_F(Download, a_link_leads_no_target_out_of_its_root) {
  server_.on("/x", {answer::whole(body_)});
  fs::create_directories(folder_ / "root");
  fs::create_directories(folder_ / "outside");
  fs::create_symlink(folder_ / "outside", folder_ / "root/link");
  Words list{"download",        "--to-root", folder_ / "root", "--to", "link/file", "--parts",
             folder_ / "parts", "--",        server_.url("/x")};
  EXPECT_EQ(run(list), TransferExit::infra);
  list[4] = "-a/-b";
  EXPECT_EQ(run(list), TransferExit::done) << output_;
  EXPECT_EQ(folder_.read("root/-a/-b"), body_);
  EXPECT_EQ(names_in("outside"), std::vector<std::string>());
}

TEST_F(Download, a_wrong_command_line_is_told) {
  for (const auto& list :
       std::vector<Words>{{},
                          {"upload"},
                          {"download"},
                          {"download", "--to"},
                          {"download", "--to", "x", "--", "http://x"},
                          {"download", "--to", "x", "--parts", "y", "http://x"},
                          {"download", "--to", "x", "--parts", "y", "--sha256", "123", "--", "http://x"},
                          {"download", "--to", "x", "--to", "x", "--parts", "y", "--", "http://x"},
                          {"unpack", "--from", "x", "--to", "y", "--strip", "-1"}})
    EXPECT_EQ(run(list), TransferExit::usage) << output_;
}

class DownloadFromNginx : public Download {
 protected:
  // After 100 KB the rest of an answer is slow: a download that is killed then has a part to go on with.
  Nginx nginx_{"limit_rate_after 100000; limit_rate 1;"};
  void SetUp() override { ASSERT_TRUE(nginx_.running()) << nginx_.errors(); }
};

TEST_F(DownloadFromNginx, brings_files_and_knows_what_is_missing) {
  nginx_.put("x", body_);
  EXPECT_EQ(get(nginx_.url("/x"), sha256_of(body_)), TransferExit::done) << output_;
  EXPECT_EQ(file(), body_);
  EXPECT_EQ(get(nginx_.url("/none"), sha256_of(body_)), TransferExit::source);
  EXPECT_TRUE(says("404")) << output_;
}

TEST_F(DownloadFromNginx, goes_on_with_a_part) {
  const auto large = noise(150'000);
  nginx_.put("x", large);
  const auto url = nginx_.url("/x");
  const auto program = begin(words(url));
  ASSERT_TRUE(eventually([&] { return part_size(url) >= 90'000; })) << part_size(url);
  program->stop(SIGKILL);
  EXPECT_EQ(get(url, sha256_of(large)), TransferExit::done) << output_;
  EXPECT_EQ(file(), large);
}

TEST_F(DownloadFromNginx, trusts_no_unknown_certificate) {
  nginx_.put("x", body_);
  EXPECT_EQ(get(nginx_.secure_url("/x")), TransferExit::source);
  EXPECT_TRUE(says("certificate")) << output_;
  EXPECT_TRUE(says("SSL_CERT_FILE")) << output_;
  environment_ = {"SSL_CERT_FILE=" + (nginx_.folder / "certificate.pem")};
  EXPECT_EQ(get(nginx_.secure_url("/x"), sha256_of(body_)), TransferExit::done) << output_;
}

class DownloadByTls : public Download {
 protected:
  Nginx nginx_{{}, "location / { proxy_redirect off; proxy_pass " + server_.url("") + "; }"};
  void SetUp() override {
    ASSERT_TRUE(nginx_.running()) << nginx_.errors();
    environment_ = {"SSL_CERT_FILE=" + (nginx_.folder / "certificate.pem")};
    folder_.write(".netrc", "machine 127.0.0.1 login me password hunter2\n");
  }
  std::string logins() const {
    std::string all;
    for (const auto& request : server_.requests())
      all += request.path + " " + request.header("authorization") + "\n";
    return all;
  }
};

TEST_F(DownloadByTls, logins_come_from_netrc) {
  server_.on("/a", {answer::redirect("/b")});
  server_.on("/b", {answer::whole(body_)});
  EXPECT_EQ(get(nginx_.secure_url("/a"), sha256_of(body_)), TransferExit::done) << output_;
  EXPECT_EQ(logins(), "/a Basic bWU6aHVudGVyMg==\n/b Basic bWU6aHVudGVyMg==\n");
}

TEST_F(DownloadByTls, logins_do_not_follow_a_redirect_to_plain_http) {
  server_.on("/a", {answer::redirect(server_.url("/b"))});
  server_.on("/b", {answer::whole(body_)});
  EXPECT_EQ(get(nginx_.secure_url("/a"), sha256_of(body_)), TransferExit::done) << output_;
  EXPECT_EQ(logins(), "/a Basic bWU6aHVudGVyMg==\n/a \n/b \n") << "asked again without a login";
}

}  // namespace
}  // namespace weir
