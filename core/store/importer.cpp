#include "core/store/importer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <memory>
#include <tuple>

#include "core/base/interruption.h"
#include "core/store/file_tools.h"
#include "core/store/hash_pipe.h"

namespace weir::store {

namespace {

constexpr std::size_t kSmall = 1 << 20;          // read whole into memory; larger files are streamed
constexpr std::size_t kFilesPerImportTask = 64;  // of one directory, which is opened once for them
constexpr int kAttempts = 3;                     // at a file that changes while it is read

Result<FileStat> stat_of(int fd, const std::string& path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return fail_errno("looking at " + path);
  return file_stat(info);
}

// One read() for nearly every file; the buffer is the thread's, one byte longer than asked to notice a file
// that grew.
Result<std::string_view> read_small(int fd, const std::string& path, std::uint64_t size) {
  thread_local const auto buffer = std::make_unique<char[]>(kSmall + 1);
  std::size_t have = 0;
  for (;;) {
    const auto got = ::pread(fd, buffer.get() + have, size + 1 - have, static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("reading " + path);
    have += static_cast<std::size_t>(got);
    if (got == 0 || have >= size) return std::string_view(buffer.get(), have);
  }
}

Result<Digest> hash_stream(ObjectFiles& objects, int fd, const std::string& path, std::uint64_t size) {
  if (size < kSmall) {
    const auto bytes = read_small(fd, path, size);
    if (!bytes) return tl::unexpected(bytes.error());
    return digest_of(*bytes);
  }
  auto hashed = hash_file(fd, -1, size);
  if (!hashed) {
    hashed.error().message = path + ": " + hashed.error().message;
    return tl::unexpected(hashed.error());
  }
  objects.learn(*hashed);
  return hashed->digest;
}

std::string base_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.substr(path.rfind('/') + 1);
}

std::string absolute(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

void note_seen(const Walk& walk, SeenPaths& seen) {
  for (const auto& directory : walk.directories) {
    seen.push_back({directory.path, directory.stamp});
    for (const auto& file : directory.files)
      seen.push_back({join(directory.path, file.name), stamp_of(file.stat)});
  }
}

std::vector<std::string> stripped_paths(const Walk& walk) {
  std::vector<std::string> paths;
  for (const auto& directory : walk.directories)
    for (const auto& name : directory.special_modes) paths.push_back(join(directory.path, name));
  return paths;
}

}  // namespace

Result<Imported> Importer::import(const std::string& path, const Exclude& exclude, SeenPaths* seen) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a fifo must not hang weir
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0) return fail_errno("importing " + path);
  if (S_ISDIR(info.st_mode)) return import_directory(path, fd.get(), exclude, seen);
  if (S_ISREG(info.st_mode)) return import_file(path, fd.get(), seen);
  return fail(Reason::project, "importing " + path + ": it is neither a file nor a directory");
}

Result<Imported> Importer::import_directory(const std::string& path, int fd, const Exclude& exclude,
                                            SeenPaths* seen) {
  const auto taken_ns = now_();
  const auto stamp = epoch_.stamp();
  const auto name = absolute(path);
  auto walked = walk(fd, {exclude, false}, parallel_for_);
  if (!walked) return tl::unexpected(walked.error());
  const auto index = StatIndex::load(dir_, name, stamp);
  apply_index(*walked, index);
  Imported imported{{}, walked->files, 0, {}};
  if (auto done = read_files(fd, *walked, imported.read); !done) return tl::unexpected(done.error());
  if (seen) note_seen(*walked, *seen);
  auto tree = write_directories(*walked);
  if (!tree) return tl::unexpected(tree.error());
  imported.tree = *tree;
  if (auto done = save_index(name, stamp, taken_ns, *walked, index, imported.read); !done)
    return tl::unexpected(done.error());
  return imported;
}

Result<Imported> Importer::import_file(const std::string& path, int fd, SeenPaths* seen) {
  FileStat stat;
  auto digest = store_copy(fd, path, stat);
  if (!digest) return tl::unexpected(digest.error());
  if (seen) seen->push_back({{}, stamp_of(stat)});
  Directory directory;
  directory.files.push_back({base_name(path), *digest, stat.executable});
  const auto bytes = encode(directory);
  const auto tree = digest_of(bytes);
  if (auto put = objects_.put(tree, bytes, false); !put) return tl::unexpected(put.error());
  return Imported{tree, 1, 1, {}};
}

Result<Imported> Importer::collect(const std::string& install_root) {
  const UniqueFd fd(::open(install_root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
  if (!fd) return fail_errno("collecting " + install_root);
  auto walked = walk(fd.get(), {{}, true}, parallel_for_);
  if (!walked) return tl::unexpected(walked.error());
  Imported imported{{}, walked->files, 0, stripped_paths(*walked)};
  if (auto done = read_files(fd.get(), *walked, imported.read); !done) return tl::unexpected(done.error());
  auto tree = write_directories(*walked);
  if (!tree) return tl::unexpected(tree.error());
  imported.tree = *tree;
  return imported;
}

Result<Digest> Importer::put_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return fail_errno("reading " + path);
  FileStat stat;
  return store_copy(fd.get(), path, stat);
}

void Importer::apply_index(Walk& walk, const StatIndex& index) {
  if (index.size() == 0) return;
  parallel_for_(walk.directories.size(), [&](std::size_t i) {
    auto& directory = walk.directories[i];
    for (auto& file : directory.files) {
      const auto* digest = index.find(join(directory.path, file.name), file.stat);
      if (!digest || (!index.objects_are_known() && !objects_.has(*digest))) continue;
      file.digest = *digest;
      file.done = true;
    }
  });
}

Status Importer::read_files(int root, Walk& walk, std::size_t& read) {
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> tasks;
  for (std::size_t i = 0; i < walk.directories.size(); ++i) {
    const auto& files = walk.directories[i].files;
    for (std::size_t begin = 0; begin < files.size(); begin += kFilesPerImportTask) {
      const auto end = std::min(files.size(), begin + kFilesPerImportTask);
      const auto unread = std::count_if(files.begin() + static_cast<std::ptrdiff_t>(begin),
                                        files.begin() + static_cast<std::ptrdiff_t>(end),
                                        [](const WalkedFile& file) { return !file.done; });
      read += static_cast<std::size_t>(unread);
      if (unread > 0) tasks.emplace_back(i, begin, end);
    }
  }
  return for_each_index(parallel_for_, tasks.size(), [&](std::size_t task) {
    const auto& [directory, begin, end] = tasks[task];
    return read_chunk(root, walk.directories[directory], begin, end);
  });
}

Status Importer::read_chunk(int root, WalkedDirectory& directory, std::size_t begin, std::size_t end) {
  auto fd = open_directory(root, directory.path);
  if (!fd) return tl::unexpected(fd.error());
  for (std::size_t i = begin; i < end; ++i) {
    if (interrupted()) return fail_interrupted();
    auto& file = directory.files[i];
    if (file.done) continue;
    if (auto done = read_file(fd->get(), join(directory.path, file.name), file); !done) return done;
  }
  return {};
}

Status Importer::read_file(int directory_fd, const std::string& path, WalkedFile& file) {
  UniqueFd fd(::openat(directory_fd, file.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!fd && errno == EACCES && file.movable) {  // an output without the right to read: it is ours
    ::fchmodat(directory_fd, file.name.c_str(), 0700, 0);
    fd = UniqueFd(::openat(directory_fd, file.name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  }
  if (!fd) return fail_errno("reading " + path);
  auto digest =
      file.movable ? store_output(directory_fd, fd.get(), path, file) : store_copy(fd.get(), path, file.stat);
  if (!digest) return tl::unexpected(digest.error());
  file.digest = *digest;
  file.done = true;
  return {};
}

// A user's file. `stat` becomes what the content was read under; a file that changes meanwhile is read again.
Result<Digest> Importer::store_copy(int fd, const std::string& path, FileStat& stat) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto before = stat_of(fd, path);
    if (!before) return tl::unexpected(before.error());
    auto digest = before->size < kSmall ? put_small(fd, path, *before)
                                        : objects_.put_stream(fd, before->size, before->executable);
    if (!digest) return digest;
    const auto after = stat_of(fd, path);
    if (!after) return tl::unexpected(after.error());
    stat = *before;
    if (*after == *before && digest->size == before->size) return digest;
  }
  return fail(Reason::project, "reading " + path + ": it changes all the time", "stop what writes to it");
}

Result<Digest> Importer::put_small(int fd, const std::string& path, const FileStat& stat) {
  const auto bytes = read_small(fd, path, stat.size);
  if (!bytes) return tl::unexpected(bytes.error());
  const auto digest = digest_of(*bytes);
  if (auto put = objects_.put(digest, *bytes, stat.executable); !put) return tl::unexpected(put.error());
  return digest;
}

// A file of an output that nobody else can reach: hashed where it is, then renamed into the store.
Result<Digest> Importer::store_output(int directory_fd, int fd, const std::string& path,
                                      const WalkedFile& file) {
  auto digest = hash_stream(objects_, fd, path, file.stat.size);
  if (!digest) return digest;
  auto moved = objects_.adopt(directory_fd, file.name.c_str(), fd, *digest, file.stat.executable);
  if (!moved) return tl::unexpected(moved.error());
  if (*moved) return digest;
  FileStat stat;  // another file system
  return store_copy(fd, path, stat);
}

// From the deepest level up: a directory needs the digests of its children. Every directory is put, so what
// import returns is whole even if the index spared it all reading.
Result<Digest> Importer::write_directories(Walk& walk) {
  std::vector<std::vector<DirectoryNode>> children(walk.directories.size());
  std::vector<Digest> digests(walk.directories.size());
  for (auto level = walk.levels.size() - 1; level-- > 0;) {
    const auto begin = walk.levels[level];
    const auto end = walk.levels[level + 1];
    auto written = for_each_index(parallel_for_, end - begin, [&](std::size_t offset) -> Status {
      if (interrupted()) return fail_interrupted();
      auto& from = walk.directories[begin + offset];
      Directory directory{{}, std::move(children[begin + offset]), std::move(from.symlinks)};
      for (const auto& file : from.files)
        directory.files.push_back({file.name, file.digest, file.stat.executable});
      const auto bytes = encode(directory);
      digests[begin + offset] = digest_of(bytes);
      return objects_.put(digests[begin + offset], bytes, false);
    });
    if (!written) return tl::unexpected(written.error());
    for (auto i = std::max<std::size_t>(begin, 1); i < end; ++i)
      children[walk.directories[i].parent].push_back({walk.directories[i].name, digests[i]});
  }
  return digests[0];
}

Status Importer::save_index(const std::string& path, const std::string& stamp, std::int64_t taken_ns,
                            const Walk& walk, const StatIndex& before, std::size_t read) {
  if (read == 0 && before.size() == walk.files && before.objects_are_known()) return {};
  std::vector<StatIndex::Item> items;
  items.reserve(walk.files);
  for (const auto& directory : walk.directories)
    for (const auto& file : directory.files)
      items.push_back({join(directory.path, file.name), file.stat, file.digest});
  return StatIndex::save(dir_, path, stamp, taken_ns, std::move(items));
}

}  // namespace weir::store
