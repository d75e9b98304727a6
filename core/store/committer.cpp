#include "core/store/committer.h"

#include <optional>

#include "core/store/file_tools.h"
#include "core/store/record_files.h"

namespace weir::store {

struct Ticket::State {
  explicit State(Committer& owner) : committer(owner) {}
  Committer& committer;  // alive as long as there is no status
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Status> status;
  std::vector<std::function<void(const Status&)>> callbacks;
};

bool Ticket::done() const {
  const std::lock_guard lock(state_->mutex);
  return state_->status.has_value();
}

Status Ticket::wait() const {
  std::unique_lock lock(state_->mutex);
  if (!state_->status) state_->committer.hurry();
  state_->changed.wait(lock, [&] { return state_->status.has_value(); });
  return *state_->status;
}

void Ticket::on_done(std::function<void(const Status&)> callback) const {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->status) {
      state_->callbacks.push_back(std::move(callback));
      return;
    }
  }
  callback(*state_->status);  // never changes again
}

namespace {

void resolve(Ticket::State& state, const Status& status) {
  std::vector<std::function<void(const Status&)>> callbacks;
  {
    const std::lock_guard lock(state.mutex);
    state.status = status;
    callbacks.swap(state.callbacks);
  }
  state.changed.notify_all();
  for (const auto& callback : callbacks) callback(status);
}

}  // namespace

struct Committer::Pending {
  Key key;
  std::string bytes;
  StoreLock::Shared lock;
  std::shared_ptr<Ticket::State> ticket;
  std::string temporary;
  Status status;
};

Committer::Committer(StoreDir& dir, std::function<Status()> sync)
    : dir_(dir), sync_(std::move(sync)), thread_([this] { run(); }) {}

Committer::~Committer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Ticket Committer::submit(const Key& key, std::string bytes, StoreLock::Shared lock) {
  auto state = std::make_shared<Ticket::State>(*this);
  {
    const std::lock_guard guard(mutex_);
    queue_.push_back({key, std::move(bytes), std::move(lock), state, {}, {}});
    ++unfinished_;
  }
  changed_.notify_all();
  return Ticket(std::move(state));
}

void Committer::hurry() {
  {
    const std::lock_guard lock(mutex_);
    hurry_ = unfinished_ > 0;
  }
  changed_.notify_all();
}

void Committer::drain() {
  hurry();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return unfinished_ == 0; });
}

void Committer::write_temporaries(Batch& batch) {
  for (auto& one : batch) {
    one.temporary = dir_.temporary();
    UniqueFd fd;
    int error = dir_.files().create(dir_.root(), one.temporary.c_str(), 0644, fd);
    if (!error) error = write_all(fd.get(), one.bytes);
    if (error) one.status = fail_file("writing the record " + one.key.hex(), error);
  }
}

void Committer::publish(Batch& batch) {
  for (auto& one : batch) {
    const auto name = RecordFiles::name_of(one.key);
    int error = 0;
    if (one.status)
      error = dir_.files().rename(dir_.root(), one.temporary.c_str(), dir_.root(), name.c_str());
    if (error) one.status = fail_file("publishing the record " + one.key.hex(), error);
    if (!one.status) (void)dir_.files().unlink(dir_.root(), one.temporary.c_str());
    one.lock = {};
  }
}

void Committer::finish(Batch& batch, const Status& status) {
  for (auto& one : batch) resolve(*one.ticket, one.status ? status : one.status);
  batch.clear();
}

// Waits for something to do, and then for more of it.
void Committer::gather(std::unique_lock<std::mutex>& lock, bool any_visible) {
  if (!any_visible) changed_.wait(lock, [&] { return stop_ || !queue_.empty(); });
  changed_.wait_until(lock, last_sync_ + kGather, [&] { return stop_ || hurry_; });
}

void Committer::run() {
  Batch visible;  // renamed, not yet known to be durable
  for (;;) {
    Batch batch;
    {
      std::unique_lock lock(mutex_);
      gather(lock, !visible.empty());
      if (queue_.empty() && visible.empty()) return;
      batch.swap(queue_);
    }
    write_temporaries(batch);
    const auto synced = sync_();
    last_sync_ = std::chrono::steady_clock::now();
    const auto finished = visible.size();
    finish(visible, synced);
    if (!synced)
      for (auto& one : batch) one.status = synced;
    publish(batch);
    visible = std::move(batch);
    const std::lock_guard lock(mutex_);
    unfinished_ -= finished;
    if (unfinished_ == 0) hurry_ = false;
    changed_.notify_all();
  }
}

}  // namespace weir::store
