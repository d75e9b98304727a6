#include "core/report/event_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "core/base/regular_file.h"

namespace weir {

namespace {

// Events are appended, so a hole is damage: a line of a terabyte of zeros fits into no memory.
bool has_hole(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (!file || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) || about.st_size == 0)
    return false;
  const auto hole = ::lseek(file.get(), 0, SEEK_HOLE);
  return hole >= 0 && hole < about.st_size;
}

}  // namespace

EventFile::EventFile(std::string path, const std::vector<std::string_view>& only) : path_(std::move(path)) {
  // A quote inside of a string is escaped, so this finds names of events alone.
  for (const auto& name : only) marks_.push_back(fmt::format("\"ev\":\"{}\"", name));
}

void EventFile::open() {
  if (!file_.is_open() && !has_hole(path_)) file_ = open_regular_file(path_);
  file_.clear();
}

std::optional<Event> EventFile::next() {
  for (;;) {
    open();
    if (std::getline(file_, part_)) line_ += part_;
    const bool whole = file_.good();
    auto event = wanted() ? reader_.read(line_) : std::nullopt;
    if (whole || event) line_.clear();
    if (event || !whole) return event;
  }
}

bool EventFile::skip_to_last(std::streamoff bytes) {
  open();
  line_.clear();
  file_.seekg(0, std::ios::end);
  const std::streamoff size = file_.tellg();
  const bool part = size > bytes;
  file_.seekg(part ? size - bytes : 0);
  if (part) std::getline(file_, part_);
  return part;
}

bool EventFile::wanted() const {
  return marks_.empty() || std::any_of(marks_.begin(), marks_.end(), [&](const std::string& mark) {
           return line_.find(mark) != line_.npos;
         });
}

}  // namespace weir
