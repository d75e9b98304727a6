#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "tests/unit/core/store/crashing_filesystem.h"
#include "tests/unit/core/store/store_fixture.h"

namespace weir::store::test {

namespace {

std::string path_of(int directory, const char* name) {
  if (name[0] == '/') return name;
  return fs::read_symlink("/proc/self/fd/" + std::to_string(directory)).string() + "/" + name;
}

}  // namespace

bool CrashingFilesystem::has_crashed() const {
  const std::lock_guard lock(mutex_);
  return crashed_;
}

bool CrashingFilesystem::is_gone() {
  if (calls_ == 0) crashed_ = true;
  else --calls_;
  return crashed_;
}

std::string CrashingFilesystem::save(const std::string& path) {
  const auto grave = graveyard_ + "/" + random_name();
  return ::link(path.c_str(), grave.c_str()) == 0 ? grave : std::string();
}

int CrashingFilesystem::create(int directory, const char* name, mode_t mode, UniqueFd& made) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  const int error = Filesystem::create(directory, name, mode, made);
  if (error) return error;
  journal_.push_back({Kind::create, path_of(directory, name), {}, {}});
  written_.emplace_back(::dup(made.get()));
  return 0;
}

int CrashingFilesystem::create_unnamed(int directory, mode_t mode, UniqueFd& made) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  const int error = Filesystem::create_unnamed(directory, mode, made);
  if (!error) written_.emplace_back(::dup(made.get()));
  return error;
}

int CrashingFilesystem::give_name(int file, int directory, const char* name) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  const int error = Filesystem::give_name(file, directory, name);
  if (!error) journal_.push_back({Kind::create, path_of(directory, name), {}, {}});
  return error;
}

int CrashingFilesystem::rename(int from_directory, const char* from, int to_directory, const char* to) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  // A file from outside, an output that is taken, is as unsynced as one that was made here; the store's own
  // temporary files are known from create().
  const bool from_outside = path_of(from_directory, from).find("/store/") == std::string::npos;
  if (UniqueFd content(::openat(from_directory, from, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
      from_outside && content)
    written_.push_back(std::move(content));
  const auto target = path_of(to_directory, to);
  auto saved = save(target);
  const int error = Filesystem::rename(from_directory, from, to_directory, to);
  if (!error) journal_.push_back({Kind::rename, path_of(from_directory, from), target, std::move(saved)});
  return error;
}

int CrashingFilesystem::link(int from_directory, const char* from, int to_directory, const char* to) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  const int error = Filesystem::link(from_directory, from, to_directory, to);
  if (!error) journal_.push_back({Kind::link, path_of(to_directory, to), {}, {}});
  return error;
}

int CrashingFilesystem::unlink(int directory, const char* name) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  const auto path = path_of(directory, name);
  auto saved = save(path);
  const int error = Filesystem::unlink(directory, name);
  if (!error) journal_.push_back({Kind::unlink, path, {}, std::move(saved)});
  return error;
}

int CrashingFilesystem::make_directory(int directory, const char* name) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  const int error = Filesystem::make_directory(directory, name);
  if (!error) journal_.push_back({Kind::make_directory, path_of(directory, name), {}, {}});
  return error;
}

int CrashingFilesystem::sync(int) {
  const std::lock_guard lock(mutex_);
  if (is_gone()) return EIO;
  journal_.clear();  // from here on all of it is on the disk
  written_.clear();
  return 0;
}

void CrashingFilesystem::undo(const Done& done) {
  switch (done.kind) {
    case Kind::create:
    case Kind::link: ::unlink(done.one.c_str()); break;
    case Kind::rename:
      // The store's session directory is gone when the store was closed.
      if (::rename(done.two.c_str(), done.one.c_str()) != 0) ::unlink(done.two.c_str());
      if (!done.saved.empty()) ::rename(done.saved.c_str(), done.two.c_str());
      break;
    case Kind::unlink:
      if (!done.saved.empty()) ::rename(done.saved.c_str(), done.one.c_str());
      break;
    case Kind::make_directory: ::rmdir(done.one.c_str()); break;  // stays if something kept is in it
  }
}

void CrashingFilesystem::lose_content(Random& random) {
  for (const auto& file : written_) {
    struct stat info {};
    if (random.chance(0.5) || ::fstat(file.get(), &info) != 0) continue;
    const auto kept = random.chance(0.5)
                          ? 0
                          : static_cast<off_t>(random.below(static_cast<std::uint64_t>(info.st_size) + 1));
    EXPECT_EQ(::ftruncate(file.get(), kept), 0);
    const bool zeros = random.chance(0.5);  // the right size, but not the content
    EXPECT_EQ(::ftruncate(file.get(), zeros ? info.st_size : kept), 0);
  }
  written_.clear();
}

void CrashingFilesystem::crash(Random& random) {
  const std::lock_guard lock(mutex_);
  lose_content(random);
  const bool in_order = random.chance(0.5);
  const auto cut = random.below(journal_.size() + 1);
  std::set<std::string> kept;  // names that a later kept call depends on
  for (auto i = journal_.size(); i-- > 0;) {
    const auto& done = journal_[i];
    const bool stays =
        in_order ? i < cut : random.chance(0.5) || kept.count(done.one) || kept.count(done.two);
    if (!stays) {
      undo(done);
      continue;
    }
    kept.insert(done.one);
    if (!done.two.empty()) kept.insert(done.two);
  }
  journal_.clear();
}

namespace {

// One store through many crashes. `durable` is what it promised: each ticket that turned durable.
class CrashTest : public ::testing::Test {
 protected:
  void run_until_crash(std::uint64_t round, Random& random) {
    const auto files = std::make_shared<CrashingFilesystem>(graveyard_, 1 + random.below(120));
    {
      Options options;
      options.filesystem = files;
      options.boot_id = "boot-" + std::to_string(round);
      options.parallel_for = [](std::size_t count, const ParallelBody& body) {
        for (std::size_t i = 0; i < count; ++i) body(i);  // the same calls in the same order for a seed
      };
      auto store = Store::open(here_.path() / "store", std::move(options));
      while (store && !files->has_crashed()) step(**store, random);
    }
    files->crash(random);
  }

  void step(Store& store, Random& random) {
    switch (random.below(10)) {
      case 0: remove_one(store, random); break;
      case 1: (void)store.gc({}); break;
      case 2: evict(store); break;
      default: commit_one(store, random);
    }
  }

  void commit_one(Store& store, Random& random) {
    const auto number = next_++;
    const auto directory = here_.path() / "work" / std::to_string(number);
    write_file(directory / "shared", std::to_string(random.below(5)));
    write_file(directory / "own", "content " + std::to_string(number), random.chance(0.5));
    const auto tree = random.chance(0.5) ? store.import(directory) : store.collect(directory);
    fs::remove_all(directory);
    if (!tree) return;
    const auto blob = store.put_blob("log " + std::to_string(number));
    const auto key = Key::of(std::to_string(number));
    if (!blob) return;
    const auto ticket = store.commit(key, {tree->tree, *blob, *blob, "it"});
    const auto alias =
        random.chance(0.3) ? store.alias(Key::of("alias" + std::to_string(number)), key) : ticket;
    if (ticket && ticket->wait()) durable_.insert(key);
    if (alias) (void)alias->wait();
  }

  void remove_one(Store& store, Random& random) {
    if (durable_.empty()) return;
    const auto at = std::next(durable_.begin(), static_cast<std::ptrdiff_t>(random.below(durable_.size())));
    const auto key = *at;
    durable_.erase(at);  // from here on both are right: there and gone
    (void)store.rm(key);
  }

  void evict(Store& store) {
    durable_.clear();
    (void)store.gc({200, 1.0, 0.5});
  }

  void check(std::uint64_t round) {
    Options options;
    options.boot_id = "after-" + std::to_string(round);
    const auto store = must(Store::open(here_.path() / "store", std::move(options)));
    const auto report = must(store->verify());
    EXPECT_TRUE(report.damaged.empty() && report.broken.empty())
        << report.damaged.size() << " damaged, " << report.broken.size() << " broken";
    for (const auto& key : durable_) {
      const auto found = must(store->lookup(key));
      ASSERT_TRUE(found) << key.hex();
      must(store->read_tree(found->record.output));
    }
  }

  void SetUp() override { fs::create_directory(graveyard_); }
  TemporaryDirectory here_;
  std::string graveyard_ = (here_.path() / "graveyard").string();
  std::set<Key> durable_;
  std::uint64_t next_ = 0;
};

}  // namespace

TEST_F(CrashTest, two_hundred_crashes_that_lose_unsynced_writes_leave_the_old_state_or_the_new) {
  for (std::uint64_t round = 1; round <= 200; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random(round);
    run_until_crash(round, random);
    check(round);
    if (HasFailure()) return;
  }
}

}  // namespace weir::store::test
