#include "core/report/json_lines.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "core/base/owned_path.h"

namespace weir {

namespace {

constexpr std::size_t kMost = 64 * 1024;

Result<UniqueFd> open_events(const std::string& path, JsonLines::Existing existing) {
  constexpr int kNew = O_WRONLY | O_CREAT;
  if (existing == JsonLines::Existing::none) {
    UniqueFd file(::open(path.c_str(), kNew | O_EXCL | O_CLOEXEC, 0644));
    if (!file) return fail_errno("making " + path + " for events");
    return file;
  }
  auto file = open_output(path, kNew | (existing == JsonLines::Existing::append ? O_APPEND : O_TRUNC), 0644);
  if (!file) file.error().message.insert(0, "writing events: ");
  return file;
}

}  // namespace

Result<JsonLines> JsonLines::open(const std::string& path, Existing existing) {
  if (path == "-") return JsonLines(UniqueFd(), STDOUT_FILENO, "standard output");
  auto file = open_events(path, existing);
  if (!file) return tl::unexpected(file.error());
  const int fd = file->get();
  return JsonLines(std::move(*file), fd, path);
}

void JsonLines::on_event(const Event& event) {
  if (broken_) return;
  append_json(lines_, event, std::chrono::system_clock::now());
  lines_.push_back('\n');
  // A question may stop weir (in the background) before its turn is over.
  const bool wait =
      post_ && lines_.size() < kMost && !event.as<event::RunEnd>() && !event.as<event::RunAsk>();
  if (!wait) return flush();
  if (std::exchange(posted_, true)) return;
  post_([this] {
    posted_ = false;
    flush();
  });
}

void JsonLines::flush() {
  if (lines_.empty()) return;
  const bool written = write_all(fd_, lines_);
  lines_.clear();
  if (written) return;
  broken_ = true;
  if (errno == EPIPE) return;
  auto failed = fail_errno("writing events to " + name_);
  failed.value().remedy = "the events of this run are incomplete; make room there, or write them elsewhere";
  written_ = std::move(failed);
}

}  // namespace weir
