// A remote whose operations end when the test says so, and a clock that goes when the test says so.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/remote/exchange.h"
#include "core/remote/remote_line.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace weir::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Any thread. Not at zero: what never was is long ago.
class SharedClock final : public Clock {
 public:
  Time now() const override {
    ++looks_;
    return Time(Duration(now_.load()));
  }
  void advance(Duration by) { now_ += by.count(); }
  std::uint64_t looks() const { return looks_; }

 private:
  std::atomic<Duration::rep> now_ = Duration(std::chrono::hours(1)).count();
  mutable std::atomic<std::uint64_t> looks_ = 0;
};

// What the plugin is asked, and how it answers.
class Script {
 public:
  struct Submitted {
    std::uint64_t operation;
    RemoteAction action;
    std::size_t names;
    int fd;
  };
  // Looked at in submit, by the thread that submits: an end from within, or nothing.
  std::function<std::optional<RemoteEnd>(const Submitted&)> at_once;
  // An operation that is cancelled ends, on a thread of the plugin.
  std::atomic<bool> obeys = true;

  Submitted wait_for(std::size_t number) {
    std::unique_lock lock(mutex_);
    const bool came = news_.wait_for(lock, seconds(30), [&] { return submitted_.size() >= number; });
    EXPECT_TRUE(came) << number << " operations were to be submitted, " << submitted_.size() << " were";
    return came ? submitted_[number - 1] : Submitted{};
  }
  bool wait_for_cancel(std::size_t number) {
    std::unique_lock lock(mutex_);
    return news_.wait_for(lock, seconds(30), [&] { return cancelled_.size() >= number; });
  }
  std::size_t submitted() const {
    const std::lock_guard lock(mutex_);
    return submitted_.size();
  }
  std::size_t cancelled() const {
    const std::lock_guard lock(mutex_);
    return cancelled_.size();
  }

  void note(const RemoteRequest& request) {
    const std::lock_guard lock(mutex_);
    submitted_.push_back({request.operation, request.action, request.names.size(), request.fd});
    news_.notify_all();
  }
  void note_cancel(std::uint64_t operation) {
    const std::lock_guard lock(mutex_);
    cancelled_.push_back(operation);
    news_.notify_all();
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Submitted> submitted_;
  std::vector<std::uint64_t> cancelled_;
};

class ScriptedConnection final : public RemoteConnection {
 public:
  ScriptedConnection(Script& script, RemoteListener& listener) : script_(script), listener_(listener) {}
  ~ScriptedConnection() override {
    for (auto& thread : threads_) thread.join();
  }
  void submit(const RemoteRequest& request) override {
    std::optional<RemoteEnd> end;
    if (script_.at_once)
      end = script_.at_once({request.operation, request.action, request.names.size(), request.fd});
    script_.note(request);
    if (end) listener_.ended(request.operation, *end);
  }
  void cancel(std::uint64_t operation) override {
    script_.note_cancel(operation);
    if (!script_.obeys) return;
    const std::lock_guard lock(mutex_);
    threads_.emplace_back([this, operation] {
      listener_.ended(operation, {RemoteOutcome::cancelled, "cancelled"});
    });
  }

 private:
  Script& script_;
  RemoteListener& listener_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

class ScriptedKind final : public RemoteKind {
 public:
  explicit ScriptedKind(Script& script, std::size_t at_once = 8) : script_(script), at_once_(at_once) {}
  std::string_view name() const override { return "scripted"; }
  std::uint32_t version() const override { return 1; }
  std::string_view plugin() const override { return {}; }
  const std::vector<std::string>& schemes() const override { return schemes_; }
  std::size_t at_once() const override { return at_once_; }
  bool verifies_puts() const override { return false; }
  Result<std::unique_ptr<RemoteConnection>> open(const RemoteAddress& address,
                                                 RemoteListener& listener) const override {
    if (address.url.empty()) return fail(Reason::project, "no address", "");
    return std::unique_ptr<RemoteConnection>(std::make_unique<ScriptedConnection>(script_, listener));
  }

 private:
  Script& script_;
  std::size_t at_once_;
  std::vector<std::string> schemes_{"scripted"};
};

// A job that runs one operation on a thread of its own.
class Job {
 public:
  Job(RemoteLine& line, RemoteOperation operation)
      : thread_([this, &line, counted = ++waiting,
                 operation = std::move(operation)](const std::stop_token& stop) mutable {
          Exchange exchange(line, stop);
          auto end = exchange.run(std::move(operation));
          const std::lock_guard lock(mutex_);
          end_ = std::move(end);
          --waiting;
        }) {}
  inline static std::atomic<int> waiting = 0;  // jobs
  void stop() { thread_.request_stop(); }
  RemoteEnd end() {
    if (thread_.joinable()) thread_.join();
    return end_;
  }

 private:
  std::mutex mutex_;
  RemoteEnd end_;
  std::jthread thread_;
};

class RemoteLineFixture : public ::testing::Test {
 protected:
  void TearDown() override { EXPECT_TRUE(!line || line->close()); }
  RemoteLine::Options options() {
    RemoteLine::Options all;
    all.shown = "scripted://server";
    all.retries = 3;
    all.patience = {milliseconds(1000), milliseconds(250)};
    all.breaker = {4, seconds(30)};
    all.tell = [this](const RemoteLine::News& one) {
      const std::lock_guard lock(mutex);
      news.push_back(one);
    };
    return all;
  }
  RemoteLine& open() { return open(options()); }
  RemoteLine& open(RemoteLine::Options all, std::size_t at_once = 8) {
    auto notes = std::make_unique<RemoteNotes>(folder / "notes", [] { return std::int64_t{1'000'000}; });
    line = std::make_unique<RemoteLine>(clock, std::move(all), std::move(notes));
    EXPECT_TRUE(line->open(ScriptedKind(script, at_once), {"scripted://server", {}, {}, {}}));
    return *line;
  }
  static RemoteOperation get(std::shared_ptr<const void> keeper = {}) {
    return {RemoteAction::get, {RemoteName{}}, 0, 0, std::move(keeper)};
  }
  static RemoteOperation put() { return {RemoteAction::put, {RemoteName{}}}; }
  static RemoteEnd done() { return {}; }
  static RemoteEnd trouble(Duration retry_after = {}) {
    return {RemoteOutcome::trouble, "trouble", {}, retry_after};
  }
  static RemoteEnd refused() { return {RemoteOutcome::refused, "refused"}; }

  // Time goes on while others look at it: each step is seen by whoever waits in an exchange.
  void pass(Duration time) {
    for (constexpr Duration kStep = milliseconds(200); time > Duration::zero(); time -= kStep) {
      clock.advance(std::min(time, kStep));
      see();
    }
  }
  // Whoever waits has gone round once more, or has begun to wait for a back-off: three looks at the clock
  // each.
  void see() {
    const auto before = clock.looks();
    ASSERT_TRUE(eventually([&] { return clock.looks() >= before + 6 || Job::waiting == 0; }));
  }
  std::vector<RemoteLine::News> told() {
    const std::lock_guard lock(mutex);
    return news;
  }
  std::size_t warnings() {
    std::size_t count = 0;
    for (const auto& one : told()) count += one.first;
    return count;
  }

  TemporaryFolder folder;
  SharedClock clock;
  Script script;
  std::mutex mutex;
  std::vector<RemoteLine::News> news;
  std::unique_ptr<RemoteLine> line;
};

}  // namespace weir::test
