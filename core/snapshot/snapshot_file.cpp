#include "core/snapshot/snapshot_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <random>

#include "core/base/fd.h"
#include "core/base/wire.h"
#include "core/store/file_tools.h"

namespace weir::snapshot {

namespace {

constexpr char kMagic[8] = {'w', 'e', 'i', 'r', 's', 'n', 'a', 'p'};
constexpr std::uint32_t kFormat = 4;        // raised when a section or a struct in it changes
constexpr std::size_t kAlign = 64;          // structs are read where they lie
constexpr std::size_t kMostPatches = 4096;  // read and applied at every start

struct Header {
  char magic[8];
  std::uint32_t format;
  std::uint32_t sections;
  std::uint64_t id;
  std::uint64_t file_size;
  struct {
    std::uint64_t offset, size, checksum;
  } entries[kSections];
  std::uint64_t checksum;  // of all before it
};

std::uint64_t checksum(const void* data, std::size_t size) { return XXH3_64bits(data, size); }

std::size_t aligned(std::size_t size) { return (size + kAlign - 1) / kAlign * kAlign; }

std::uint64_t random_id() {
  std::random_device bits;
  return (std::uint64_t{bits()} << 32) | bits();
}

std::string delta_of(const std::string& path) { return path + ".delta"; }

// Written beside it and renamed; a name of this process's own, since two weirs may end at the same time.
template <class Write>
Status replace(const std::string& path, const Write& write) {
  const auto temporary = path + "." + std::to_string(::getpid());
  if (auto removed = store::remove_unless_regular(AT_FDCWD, path); !removed) return removed;
  UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!fd) return fail_errno("writing " + temporary);
  if (!write(fd.get()) || ::rename(temporary.c_str(), path.c_str()) != 0) {
    auto failed = fail_errno("writing " + path);
    ::unlink(temporary.c_str());
    return failed;
  }
  return {};
}

std::string encode(const std::vector<Patch>& patches, std::uint64_t id) {
  wire::Writer out;
  out.u64(id);
  out.u32(static_cast<std::uint32_t>(patches.size()));
  for (const auto& patch : patches) {
    out.u32(static_cast<std::uint32_t>(patch.section));
    out.u64(patch.at);
    out.text(patch.bytes);
  }
  const auto sum = checksum(out.bytes().data(), out.bytes().size());
  out.u64(sum);
  return out.take();
}

std::string read_whole(const std::string& path) {
  const auto fd = store::open_regular(AT_FDCWD, path.c_str());
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || info.st_size > store::kLongestSmallFile) return {};
  std::string bytes(static_cast<std::size_t>(info.st_size), '\0');
  const auto got = ::read(fd.get(), bytes.data(), bytes.size());
  bytes.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return bytes;
}

// Nothing: not whole. Those of another file are no patches.
std::optional<std::vector<Patch>> decode(std::string_view bytes, std::uint64_t id) {
  if (bytes.empty()) return std::vector<Patch>();
  if (bytes.size() < sizeof(std::uint64_t)) return std::nullopt;
  const auto body = bytes.substr(0, bytes.size() - sizeof(std::uint64_t));
  wire::Reader seal(bytes.substr(body.size()));
  if (seal.u64() != checksum(body.data(), body.size())) return std::nullopt;
  wire::Reader in(body);
  std::vector<Patch> patches;
  if (in.u64() != id) return patches;
  for (auto left = in.count(16); left > 0 && in.ok(); --left) {
    const auto section = in.u32();
    const auto at = in.u64();
    patches.push_back({Section{section}, at, std::string(in.text())});
  }
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return patches;
}

}  // namespace

Status Writer::write(const std::string& path) const {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  header.format = kFormat;
  header.sections = kSections;
  header.id = random_id();
  auto offset = aligned(sizeof header);
  for (std::size_t i = 0; i < kSections; ++i) {
    header.entries[i] = {offset, sections_[i].size(), checksum(sections_[i].data(), sections_[i].size())};
    offset += aligned(sections_[i].size());
  }
  header.file_size = offset;
  header.checksum = checksum(&header, offsetof(Header, checksum));
  const auto write_padded = [](int fd, std::string_view bytes) {
    static constexpr char kZeros[kAlign] = {};
    return write_all(fd, bytes) && write_all(fd, {kZeros, aligned(bytes.size()) - bytes.size()});
  };
  return replace(path, [&](int fd) {
    if (!write_padded(fd, bytes_of(header))) return false;
    for (const auto& section : sections_)
      if (!write_padded(fd, section)) return false;
    ::unlink(delta_of(path).c_str());
    return true;
  });
}

std::optional<File> File::map(const std::string& path) {
  const auto fd = store::open_for_reading(AT_FDCWD, path.c_str());
  struct stat info {};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      static_cast<std::size_t>(info.st_size) < sizeof(Header))
    return std::nullopt;
  File file;
  file.size_ = static_cast<std::size_t>(info.st_size);
  auto* data = ::mmap(nullptr, file.size_, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd.get(), 0);
  if (data == MAP_FAILED) return std::nullopt;
  file.data_ = static_cast<char*>(data);
  if (!file.read_header(static_cast<std::uint64_t>(info.st_size)) || !file.apply(path)) return std::nullopt;
  return file;
}

bool File::read_header(std::uint64_t size) {
  Header header;
  std::memcpy(&header, data_, sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.format != kFormat ||
      header.sections != kSections)
    return false;
  if (header.checksum != checksum(&header, offsetof(Header, checksum)) || header.file_size != size)
    return false;
  id_ = header.id;
  for (std::size_t i = 0; i < kSections; ++i) {
    const auto& entry = header.entries[i];
    if (entry.offset > size || entry.size > size - entry.offset || entry.offset % kAlign != 0) return false;
    entries_[i] = {entry.offset, entry.size, entry.checksum};
  }
  return true;
}

// What they change is verified before: afterwards it has no checksum any more.
bool File::apply(const std::string& path) {
  auto patches = decode(read_whole(delta_of(path)), id_);
  if (!patches) return false;
  for (const auto& patch : *patches) {
    if (static_cast<std::size_t>(patch.section) >= kSections) return false;
    const auto section = bytes(patch.section);
    if (!section || patch.at > section->size() || patch.bytes.size() > section->size() - patch.at)
      return false;
    std::memcpy(data_ + (section->data() - data_) + patch.at, patch.bytes.data(), patch.bytes.size());
  }
  patches_ = std::move(*patches);
  return true;
}

std::optional<std::string_view> File::bytes(Section section) const {
  const auto i = static_cast<std::size_t>(section);
  const auto& entry = entries_[i];
  if (!verified_[i] && checksum(data_ + entry.offset, entry.size) != entry.checksum) return std::nullopt;
  verified_[i] = true;
  return std::string_view(data_ + entry.offset, entry.size);
}

std::string_view File::unverified(Section section) const {
  const auto& entry = entries_[static_cast<std::size_t>(section)];
  return {data_ + entry.offset, entry.size};
}

Status File::patch(const std::string& path, std::vector<Patch> more) const {
  // One for each place: the newest.
  auto all = patches_;
  for (auto& patch : more) {
    std::erase_if(all, [&](const Patch& old) {
      return old.section == patch.section && old.at == patch.at && old.bytes.size() == patch.bytes.size();
    });
    all.push_back(std::move(patch));
  }
  if (all.size() > kMostPatches) return fail(Reason::resources, "too much has changed");
  return replace(delta_of(path), [&](int fd) { return write_all(fd, encode(all, id_)); });
}

File::File(File&& other) noexcept { *this = std::move(other); }

File& File::operator=(File&& other) noexcept {
  if (this == &other) return *this;
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  id_ = other.id_;
  std::copy(std::begin(other.entries_), std::end(other.entries_), std::begin(entries_));
  std::copy(std::begin(other.verified_), std::end(other.verified_), std::begin(verified_));
  patches_ = std::move(other.patches_);
  return *this;
}

File::~File() {
  if (data_) ::munmap(data_, size_);
}

std::uint64_t checksum_of(std::string_view bytes) { return checksum(bytes.data(), bytes.size()); }

Hash128 hash_of(std::string_view bytes) {
  const auto hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

}  // namespace weir::snapshot
