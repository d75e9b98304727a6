#include "core/store/pin.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "core/store/file_tools.h"

namespace weir::store {

struct Pin::File {
  std::string name;
  UniqueFd fd;
};

namespace {

// A name that is safe in a directory; the random part makes it unique.
std::string file_name_of(std::string_view run) {
  std::string name = "runs/";
  for (const char c : run.substr(0, 64)) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '-';
  return name + "-" + random_name();
}

void read_roots(std::string_view text, Roots& roots) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.size() < 2) continue;
    const auto kind = static_cast<RootKind>(line[0]);
    const auto value = line.substr(2);
    if (const auto key = kind == RootKind::key ? Key::parse(value) : std::nullopt) roots.keys.push_back(*key);
    const auto digest = kind == RootKind::key ? std::nullopt : Digest::parse(value);
    if (digest) (kind == RootKind::tree ? roots.trees : roots.blobs).push_back(*digest);
  }
}

}  // namespace

Pin::Pin(Pins* owner, std::shared_ptr<File> file) : owner_(owner), file_(std::move(file)) {}

Pin& Pin::operator=(Pin&& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(file_, other.file_);
  return *this;
}

void Pin::release() {
  if (file_) owner_->remove(file_);
  file_.reset();
}

Result<Pin> Pins::add(std::string_view run) {
  auto file = std::make_shared<Pin::File>();
  file->name = file_name_of(run);
  file->fd = UniqueFd(
      ::openat(dir_.root(), file->name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0644));
  if (!file->fd || ::flock(file->fd.get(), LOCK_EX) != 0)
    return fail_file("pinning " + std::string(run), errno);
  const std::lock_guard lock(mutex_);
  files_.push_back(file);
  return Pin(this, std::move(file));
}

bool Pins::empty() const {
  const std::lock_guard lock(mutex_);
  return files_.empty();
}

Status Pins::keep(RootKind kind, std::string_view text) {
  std::string line{static_cast<char>(kind), ' '};
  line.append(text).push_back('\n');
  const std::lock_guard lock(mutex_);
  for (const auto& file : files_)
    if (const int error = write_all(file->fd.get(), line)) return fail_file("writing " + file->name, error);
  return {};
}

void Pins::remove(const std::shared_ptr<Pin::File>& file) {
  const std::lock_guard lock(mutex_);
  ::unlinkat(dir_.root(), file->name.c_str(), 0);
  files_.erase(std::remove(files_.begin(), files_.end(), file), files_.end());
  file->fd.reset();
}

namespace {

// One whose mode is damaged is readable again, for its owner.
UniqueFd open_pin(int runs, const char* name) {
  auto fd = open_for_reading(runs, name);
  if (!fd && errno == EACCES && ::fchmodat(runs, name, 0644, 0) == 0) fd = open_for_reading(runs, name);
  return fd;
}

}  // namespace

Result<PinSurvey> survey_pins(const StoreDir& dir) {
  auto runs = open_directory(dir.root(), "runs");
  if (!runs) return tl::unexpected(runs.error());
  auto entries = list_directory(runs->get());
  if (!entries) return tl::unexpected(entries.error());
  PinSurvey survey;
  for (const auto& entry : *entries) {
    const auto fd = open_pin(runs->get(), entry.name.c_str());
    if (!fd && errno == EACCES) return fail_file("reading runs/" + entry.name, errno);  // it may be in use
    if (!fd) {  // released in between, or damage: a symlink
      if (errno == ELOOP) survey.stale.push_back("runs/" + entry.name);
      continue;
    }
    if (::flock(fd.get(), LOCK_SH | LOCK_NB) == 0) {
      survey.stale.push_back("runs/" + entry.name);
      continue;
    }
    ++survey.live;
    auto text = read_all(fd.get(), "reading runs/" + entry.name);
    if (!text) return tl::unexpected(text.error());
    read_roots(*text, survey.roots);
  }
  return survey;
}

}  // namespace weir::store
