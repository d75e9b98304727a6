#include "core/store/stat_index.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/wire.h"
#include "core/store/file_tools.h"

namespace weir::store {

namespace {

constexpr std::string_view kStatMagic = "weir-stat-1";
constexpr std::int64_t kSecond = 1'000'000'000;

std::string name_of(const std::string& directory) { return "stat/" + digest_of(directory).hex(); }

void put(wire::Writer& out, const StatIndex::Item& item) {
  out.text(item.path);
  out.u64(item.stat.device);
  out.u64(item.stat.inode);
  out.u64(item.stat.size);
  out.i64(item.stat.mtime_ns);
  out.i64(item.stat.ctime_ns);
  out.u8(item.stat.executable);
  out.text(bytes_of(item.digest.hash));
}

StatIndex::Item get(wire::Reader& in) {
  StatIndex::Item item;
  item.path = in.text();
  item.stat.device = in.u64();
  item.stat.inode = in.u64();
  item.stat.size = in.u64();
  item.stat.mtime_ns = in.i64();
  item.stat.ctime_ns = in.i64();
  item.stat.executable = in.u8() != 0;
  const auto hash = in.text();
  if (hash.size() == sizeof(Sha256)) std::memcpy(item.digest.hash.data(), hash.data(), hash.size());
  else in.mark_bad();
  item.digest.size = item.stat.size;
  return item;
}

}  // namespace

std::string_view checked_body(std::string_view bytes) {
  if (bytes.size() < sizeof(Sha256)) return {};
  const auto body = bytes.substr(sizeof(Sha256));
  const auto hash = digest_of(body).hash;
  return bytes_of(hash) == bytes.substr(0, sizeof(Sha256)) ? body : std::string_view{};
}

std::string with_checksum(std::string_view body) {
  const auto hash = digest_of(body).hash;
  return std::string(bytes_of(hash)).append(body);
}

FileStat file_stat(const struct stat& info) {
  return {info.st_dev,
          info.st_ino,
          static_cast<std::uint64_t>(info.st_size),
          info.st_mtim.tv_sec * kSecond + info.st_mtim.tv_nsec,
          info.st_ctim.tv_sec * kSecond + info.st_ctim.tv_nsec,
          (info.st_mode & S_IXUSR) != 0};
}

FileStamp stamp_of(const FileStat& stat) {
  return weir::stamp_of(StampFacts{stat.device, stat.inode,
                                   S_IFREG | (stat.executable ? unsigned{S_IXUSR} : 0U), stat.size,
                                   stat.mtime_ns, stat.ctime_ns});
}

StatIndex StatIndex::load(const StoreDir& dir, const std::string& directory, std::string_view stamp) {
  StatIndex index;
  const auto bytes = read_small_file(dir.root(), name_of(directory).c_str()).value_or("");
  wire::Reader in(checked_body(bytes));
  if (in.text() != kStatMagic || in.text() != directory) return index;
  index.same_stamp_ = in.text() == stamp;
  index.items_.resize(in.count(sizeof(Sha256)));
  for (auto& item : index.items_) item = get(in);
  if (!in.ok() || !in.at_end()) return {};
  return index;
}

const Digest* StatIndex::find(std::string_view path, const FileStat& stat) const {
  const auto found =
      std::lower_bound(items_.begin(), items_.end(), path,
                       [](const Item& item, std::string_view wanted) { return item.path < wanted; });
  if (found == items_.end() || found->path != path || found->stat != stat) return nullptr;
  return &found->digest;
}

bool StatIndex::is_settled(const FileStat& stat, std::int64_t taken_ns) {
  return weir::is_settled(std::max(stat.mtime_ns, stat.ctime_ns), taken_ns);
}

Status StatIndex::save(StoreDir& dir, const std::string& directory, std::string_view stamp,
                       std::int64_t taken_ns, std::vector<Item> items) {
  items.erase(std::remove_if(items.begin(), items.end(),
                             [&](const Item& item) { return !is_settled(item.stat, taken_ns); }),
              items.end());
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.path < b.path; });
  wire::Writer out;
  out.text(kStatMagic);
  out.text(directory);
  out.text(stamp);
  out.u32(static_cast<std::uint32_t>(items.size()));
  for (const auto& item : items) put(out, item);
  return dir.replace_file(name_of(directory), with_checksum(out.bytes()));
}

void StatIndex::sweep(const StoreDir& dir) {
  auto fd = open_directory(dir.root(), "stat");
  if (!fd) return;
  for (const auto& entry : list_directory(fd->get()).value_or(std::vector<Entry>{})) {
    const auto bytes = read_small_file(fd->get(), entry.name.c_str()).value_or("");
    wire::Reader in(checked_body(bytes));
    const bool known = in.text() == kStatMagic;
    if (!known || ::access(std::string(in.text()).c_str(), F_OK) != 0)
      ::unlinkat(fd->get(), entry.name.c_str(), 0);
  }
}

Status StatIndex::remove_all(const StoreDir& dir) {
  auto fd = open_directory(dir.root(), "stat");
  if (!fd) return tl::unexpected(fd.error());
  auto entries = list_directory(fd->get());
  if (!entries) return tl::unexpected(entries.error());
  for (const auto& entry : *entries)
    if (::unlinkat(fd->get(), entry.name.c_str(), 0) != 0 && errno != ENOENT)
      return fail_errno("removing stat/" + entry.name);
  return {};
}

}  // namespace weir::store
