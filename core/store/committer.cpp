#include "core/store/committer.h"

#include <cerrno>
#include <optional>

#include "core/store/file_tools.h"
#include "core/store/key_lock.h"
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
  std::optional<Key> alias;
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

Ticket Committer::submit(const Key& key, std::string bytes, StoreLock::Shared lock,
                         const std::optional<Key>& alias) {
  auto state = std::make_shared<Ticket::State>(*this);
  bool first = false;
  {
    const std::lock_guard guard(mutex_);
    first = queue_.empty();
    queue_.push_back({key, alias, std::move(bytes), std::move(lock), state, {}, {}});
    ++unfinished_;
  }
  if (first) changed_.notify_all();  // whoever gathers does not wake up for one more
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

// One more name of the record. Where that cannot be had (a record may have 65,000, some file systems give
// one), a file that names it: its bytes are not durable yet, but an alias that is damaged is a miss and no
// more.
int Committer::publish_alias(const Key& alias, const Key& key) {
  const auto name = RecordFiles::name_of(alias);
  const auto record = RecordFiles::name_of(key);
  auto& files = dir_.files();
  int error = files.link(dir_.root(), record.c_str(), dir_.root(), name.c_str());
  if (!error) return 0;
  const auto temporary = dir_.temporary();
  if (error == EEXIST) error = files.link(dir_.root(), record.c_str(), dir_.root(), temporary.c_str());
  if (error) {
    UniqueFd fd;
    error = files.create(dir_.root(), temporary.c_str(), 0644, fd);
    if (!error) error = write_all(fd.get(), encode_alias(alias, key));
  }
  if (!error) error = files.rename(dir_.root(), temporary.c_str(), dir_.root(), name.c_str());
  // Also after success: nothing is renamed where both names are of one file already.
  (void)files.unlink(dir_.root(), temporary.c_str());
  return error;
}

void Committer::publish(Batch& batch) {
  for (auto& one : batch) {
    const auto name = RecordFiles::name_of(one.key);
    int error = 0;
    if (one.status)
      error = dir_.files().rename(dir_.root(), one.temporary.c_str(), dir_.root(), name.c_str());
    if (!error && one.status && one.alias) error = publish_alias(*one.alias, one.key);
    if (error) one.status = fail_file("publishing the record " + one.key.hex(), error);
    if (!one.status) (void)dir_.files().unlink(dir_.root(), one.temporary.c_str());
    one.lock = {};
  }
}

void Committer::finish(Batch& batch, const Status& status) {
  const KeyLockBatch together;  // who submitted them holds their locks until now
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
