// The dir remote across the border, on folders of the test.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdio.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <future>
#include <thread>

#include "core/store/checksums.h"
#include "tests/support/remote_probe.h"
#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

std::string file_of(const RemoteName& name, const std::string& kind = "cas") {
  const std::string hash(name.hash.begin(), name.hash.end());
  return kind + "/" + hash.substr(0, 2) + "/" + hash;
}

struct DirRemote : testing::Test {
  std::string temporary_files() const {
    std::string names;
    if (!fs::exists(folder / "tmp")) return names;
    for (const auto& entry : fs::directory_iterator(folder / "tmp"))
      names += entry.path().filename().string() + "\n";
    return names;
  }
  // Opening it waits as long as the lease is held: as good as a server that does not answer.
  UniqueFd lease(const RemoteName& name) const {
    std::signal(SIGIO, SIG_IGN);  // tells that another open waits
    folder.write(file_of(name), "stuck");
    UniqueFd file(::open((folder / file_of(name)).c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(::fcntl(file.get(), F_SETLEASE, F_WRLCK), 0) << std::strerror(errno);
    return file;
  }
  static void release(const UniqueFd& lease) { EXPECT_EQ(::fcntl(lease.get(), F_SETLEASE, F_UNLCK), 0); }

  TemporaryFolder folder;
};

TEST_F(DirRemote, what_is_put_can_be_got) {
  RemoteProbe probe("dir:" + folder.path());
  ASSERT_TRUE(probe.is_open()) << probe.error().message;
  EXPECT_EQ(probe.get(name_of("hello")).outcome, RemoteOutcome::missing);
  EXPECT_EQ(probe.has({name_of("hello")}).there, std::vector<bool>({false}));
  const auto put = probe.put("hello");
  EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_EQ(probe.get(name_of("hello")).bytes, "hello");
  EXPECT_EQ(folder.read(file_of(name_of("hello"))), "hello") << "as Bazel lays it out";
  EXPECT_EQ(probe.put("").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get(name_of("")).outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.has({name_of("other"), name_of("hello"), name_of("")}).there,
            std::vector<bool>({false, true, true}));
  EXPECT_EQ(temporary_files(), "");
}

TEST_F(DirRemote, a_blob_is_stored_only_if_it_has_its_checksum) {
  Kinds kinds;
  const auto* kind = kinds.remote("dir").value();
  EXPECT_TRUE(kind->verifies_puts());
  RemoteProbe probe("dir:" + folder.path());
  for (const std::size_t size : {0, 5, 256 << 10, (8 << 20) + 1}) {
    const std::string content(size, 'x');
    store::ChecksumHasher hasher;
    hasher.update(content);
    auto checksum = hasher.finish();
    const auto put = probe.put(name_of(content), content, &checksum);
    EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
    EXPECT_TRUE(probe.get(name_of(content)).bytes == content);
    fs::remove(folder / file_of(name_of(content)));
    checksum.back() ^= 1;
    EXPECT_EQ(probe.put(name_of(content), content, &checksum).outcome, RemoteOutcome::mismatch);
    EXPECT_FALSE(fs::exists(folder / file_of(name_of(content))));
    EXPECT_EQ(temporary_files(), "");
  }
}

TEST_F(DirRemote, records) {
  RemoteProbe probe("dir://" + folder.path() + "//");
  const auto key = name_of("key");
  EXPECT_EQ(probe.get_record(key).outcome, RemoteOutcome::missing);
  EXPECT_EQ(probe.put_record(key, "old").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.put_record(key, "a newer one").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get_record(key).bytes, "a newer one");
  EXPECT_EQ(probe.get_record(key, 5).outcome, RemoteOutcome::missing);
  EXPECT_EQ(probe.has_record({key, name_of("other")}).there, std::vector<bool>({true, false}));
  EXPECT_EQ(folder.read(file_of(key, "ac")), "a newer one");
  folder.write(file_of(key, "ac"), "");
  EXPECT_EQ(probe.has_record({key}).there, std::vector<bool>({false}));
  EXPECT_EQ(probe.get_record(key).outcome, RemoteOutcome::missing);
}

TEST_F(DirRemote, large_blobs_are_told_of_on_the_way) {
  RemoteProbe probe("dir:" + folder.path());
  const std::string large((8 << 20) + 1, 'x');
  const auto put = probe.put(large);
  EXPECT_EQ(put.outcome, RemoteOutcome::done) << put.message;
  EXPECT_EQ(put.moved, large.size());
  const auto got = probe.get(name_of(large));
  EXPECT_EQ(got.moved, large.size());
  EXPECT_TRUE(got.bytes == large);
}

TEST_F(DirRemote, a_blob_of_another_size_is_damaged_until_it_is_put_again) {
  RemoteProbe probe("dir:" + folder.path());
  const auto name = name_of("hello");
  folder.write(file_of(name), "hell");
  EXPECT_EQ(probe.has({name}).there, std::vector<bool>({false}));
  const auto got = probe.get(name);
  EXPECT_EQ(got.outcome, RemoteOutcome::missing) << "asking again would not change it";
  EXPECT_EQ(got.bytes, "");
  EXPECT_NE(got.message.find("has 4 bytes instead of 5"), std::string::npos) << got.message;
  EXPECT_EQ(probe.put("hello").outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.get(name).bytes, "hello");
}

TEST_F(DirRemote, many_writers_of_one_blob_and_a_reader) {
  const std::string content(300'000, 'c');
  const auto name = name_of(content);
  const auto write = [&](RemoteProbe& probe) {
    for (int i = 0; i < 50; ++i)
      if (const auto put = probe.put(content); put.outcome != RemoteOutcome::done) return put.message;
    return std::string();
  };
  RemoteProbe reader("dir:" + folder.path()), one("dir:" + folder.path()), other("dir:" + folder.path());
  auto first = std::async(std::launch::async, write, std::ref(one));
  auto second = std::async(std::launch::async, write, std::ref(other));
  const auto seen_whole = [&] {
    const auto got = reader.get(name);
    return got.outcome == RemoteOutcome::missing || got.bytes == content;
  };
  while (first.wait_for(seconds(0)) != std::future_status::ready) ASSERT_TRUE(seen_whole());
  EXPECT_EQ(first.get(), "");
  EXPECT_EQ(second.get(), "");
  EXPECT_EQ(reader.get(name).bytes, content);
  EXPECT_EQ(temporary_files(), "");
}

TEST_F(DirRemote, many_operations_at_once) {
  RemoteProbe probe("dir:" + folder.path());
  std::vector<std::uint64_t> running;
  std::vector<RemoteName> names;
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  write_all(file.get(), "same");
  for (int i = 0; i < 500; ++i) {
    names.push_back(name_of(std::to_string(i)));
    names.back().size = 4;
    running.push_back(probe.start(RemoteAction::put, {names.back()}, file.get(), 0));
  }
  for (const auto operation : running) ASSERT_EQ(probe.wait(operation).outcome, RemoteOutcome::done);
  EXPECT_EQ(probe.has(names).there, std::vector<bool>(500, true));
}

TEST_F(DirRemote, a_folder_that_is_not_there_is_refused) {
  folder.write("file", "no folder");
  for (const std::string path : {"missing", "file", "missing/deeper"}) {
    RemoteProbe probe("dir:" + folder / path);
    for (const auto& answer : {probe.get(name_of("x")), probe.put("x"), probe.has({name_of("x")}),
                               probe.get_record(name_of("x"))}) {
      EXPECT_EQ(answer.outcome, RemoteOutcome::refused) << path;
      EXPECT_EQ(answer.message, "there is no folder " + folder / path + ": make it, or mount it");
    }
  }
  EXPECT_FALSE(fs::exists(folder / "missing"));
}

TEST_F(DirRemote, nothing_is_left_of_what_fails) {
  RemoteProbe probe("dir:" + folder.path());
  EXPECT_EQ(probe.put(name_of("hello"), "hell").outcome, RemoteOutcome::trouble)
      << "the file is shorter than told";
  fs::create_directories(folder / file_of(name_of("in the way")));
  EXPECT_EQ(probe.put("in the way").outcome, RemoteOutcome::trouble);
  EXPECT_EQ(probe.get(name_of("in the way")).outcome, RemoteOutcome::missing);
  EXPECT_TRUE(fs::is_empty(folder / "tmp"));
  EXPECT_FALSE(fs::exists(folder / file_of(name_of("hello"))));
}

TEST_F(DirRemote, a_full_disk_is_told) {
  RemoteProbe probe("dir:" + folder.path());
  probe.put("hello");
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  const auto answer = probe.wait(probe.start(RemoteAction::get, {name_of("hello")}, full.get(), 0));
  EXPECT_EQ(answer.outcome, RemoteOutcome::trouble);
  EXPECT_NE(answer.message.find("No space left on device"), std::string::npos) << answer.message;
}

TEST_F(DirRemote, an_unwritable_folder_is_refused) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  fs::permissions(folder.path(), fs::perms::owner_read | fs::perms::owner_exec);
  RemoteProbe probe("dir:" + folder.path());
  EXPECT_EQ(probe.put("hello").outcome, RemoteOutcome::refused);
  EXPECT_EQ(probe.get(name_of("hello")).outcome, RemoteOutcome::missing);
  fs::permissions(folder.path(), fs::perms::none);
  EXPECT_EQ(probe.get(name_of("hello")).outcome, RemoteOutcome::refused);
  EXPECT_EQ(probe.has({name_of("hello")}).outcome, RemoteOutcome::refused);
  fs::permissions(folder.path(), fs::perms::owner_all);
}

TEST_F(DirRemote, the_umask_says_who_may_use_the_files) {
  const auto before = ::umask(0002);
  RemoteProbe probe("dir:" + folder.path());
  probe.put("hello");
  ::umask(before);
  struct stat about {};
  const auto file = folder / file_of(name_of("hello"));
  ASSERT_EQ(::stat(file.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0664u);
  ASSERT_EQ(::stat(fs::path(file).parent_path().c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777, 0775u);
}

TEST_F(DirRemote, what_writers_left_a_day_ago_is_removed) {
  folder.write("tmp/weir-old", "");
  folder.write("tmp/weir-new", "");
  folder.write("tmp/of-somebody-else", "");
  for (const std::string name : {"weir-old", "of-somebody-else"})
    fs::last_write_time(folder / ("tmp/" + name), fs::file_time_type::clock::now() - std::chrono::hours(25));
  RemoteProbe probe("dir:" + folder.path());
  probe.get(name_of("x"));
  EXPECT_TRUE(fs::exists(folder / "tmp/weir-old")) << "who only reads removes nothing";
  probe.put("x");
  EXPECT_FALSE(fs::exists(folder / "tmp/weir-old"));
  EXPECT_TRUE(fs::exists(folder / "tmp/weir-new"));
  EXPECT_TRUE(fs::exists(folder / "tmp/of-somebody-else"));
}

TEST_F(DirRemote, what_waits_can_be_cancelled_though_all_threads_are_stuck) {
  RemoteProbe probe("dir:" + folder.path());
  const auto name = name_of("stuck");
  const auto held = lease(name);
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  std::vector<std::uint64_t> running;
  for (int i = 0; i < 20; ++i) running.push_back(probe.start(RemoteAction::get, {name}, file.get(), 0));
  for (int i = 19; i >= 4; --i) {
    probe.cancel(running[static_cast<std::size_t>(i)]);
    EXPECT_EQ(probe.wait(running[static_cast<std::size_t>(i)]).outcome, RemoteOutcome::cancelled);
  }
  release(held);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(probe.wait(running[static_cast<std::size_t>(i)]).outcome, RemoteOutcome::done);
}

TEST_F(DirRemote, closing_does_not_wait_for_what_is_stuck) {
  const auto name = name_of("stuck");
  const auto held = lease(name);
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  {
    RemoteProbe probe("dir:" + folder.path());
    probe.start(RemoteAction::get, {name}, file.get(), 0);
    // Let one through, so that it is certain that the threads run.
    EXPECT_EQ(probe.get(name_of("other")).outcome, RemoteOutcome::missing);
  }
  release(held);
}

TEST_F(DirRemote, a_fifo_in_the_place_of_a_blob_is_missing) {
  const auto name = name_of("odd");
  fs::create_directories(fs::path(folder / file_of(name)).parent_path());
  ASSERT_EQ(::mkfifo((folder / file_of(name)).c_str(), 0600), 0);
  EXPECT_EQ(RemoteProbe("dir:" + folder.path()).get(name).outcome, RemoteOutcome::missing);
}

// To open it would wait for a writer.
TEST_F(DirRemote, a_fifo_that_takes_the_place_of_a_blob_is_never_opened) {
  const auto name = name_of("hello");
  folder.write(file_of(name), "hello");
  const auto blob = folder / file_of(name), fifo = folder / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) ::renameat2(AT_FDCWD, blob.c_str(), AT_FDCWD, fifo.c_str(), RENAME_EXCHANGE);
  });
  RemoteProbe probe("dir:" + folder.path());
  for (int i = 0; i < 1000; ++i) {
    const auto got = probe.get(name);
    const bool is_done = got.outcome == RemoteOutcome::done;
    EXPECT_TRUE(is_done || got.outcome == RemoteOutcome::missing) << got.message;
    EXPECT_EQ(got.bytes, is_done ? "hello" : "");
  }
  stop = true;
  other.join();
}

// Stays in the first `moved` until it may go on.
class Pausing final : public RemoteListener {
 public:
  void ended(std::uint64_t, RemoteEnd end) override { end_.set_value(end); }
  void moved(std::uint64_t, std::uint64_t) override {
    if (std::exchange(paused_once_, true)) return;
    paused_.set_value();
    go_on_.get_future().wait();
  }
  void wait_for_pause() { paused_.get_future().wait(); }
  void go_on() { go_on_.set_value(); }
  RemoteEnd wait_for_end() { return end_.get_future().get(); }

 private:
  bool paused_once_ = false;
  std::promise<void> paused_, go_on_;
  std::promise<RemoteEnd> end_;
};

TEST_F(DirRemote, a_copy_that_runs_can_be_cancelled) {
  Kinds kinds;
  Pausing listener;
  const auto connection =
      kinds.remote("dir").value()->open({"dir:" + folder.path(), {}, {}, seconds(2)}, listener).value();
  const std::string large(4 << 20, 'x');
  const UniqueFd file(::memfd_create("test", MFD_CLOEXEC));
  write_all(file.get(), large);
  const auto name = name_of(large);
  connection->submit({RemoteAction::put, 7, {&name, 1}, file.get(), 0});
  listener.wait_for_pause();
  connection->cancel(7);
  listener.go_on();
  EXPECT_EQ(listener.wait_for_end().outcome, RemoteOutcome::cancelled);
  EXPECT_EQ(temporary_files(), "");
  EXPECT_FALSE(fs::exists(folder / file_of(name)));
}

TEST(DirRemoteUrl, has_an_absolute_path) {
  for (const std::string url : {"dir:", "dir:srv/weir", "dir://", "dir://server/weir"}) {
    const RemoteProbe probe(url);
    EXPECT_FALSE(probe.is_open()) << url;
    EXPECT_NE(probe.error().message.find("absolute path"), std::string::npos) << probe.error().message;
    EXPECT_NE(probe.error().remedy, "") << url;
  }
}

TEST(DirRemoteUrl, is_not_decoded) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "a%20b");
  RemoteProbe probe("dir:" + folder / "a%20b");
  EXPECT_EQ(probe.put("hello").outcome, RemoteOutcome::done);
  EXPECT_TRUE(fs::exists(folder / "a%20b/cas"));
}

}  // namespace
}  // namespace weir
