#include "core/remote/remote_lines.h"

#include <fmt/format.h>

#include <ctime>

namespace weir {

namespace {

// The time for one connection, and a little for what else may go wrong.
constexpr Duration kBeyondConnect = std::chrono::milliseconds(200);

std::unique_ptr<RemoteLine> make_line(const RemoteSetup& setup, const RemoteLinesParts& parts) {
  RemoteLine::Options options;
  options.shown = shown_url(setup.address.url);
  options.retries = parts.retries;
  options.patience.budget = setup.address.connect_timeout + kBeyondConnect;
  options.tell = parts.tell;
  auto notes = std::make_unique<RemoteNotes>(RemoteNotes::file_for(parts.notes_folder, setup.address.url),
                                             [] { return static_cast<std::int64_t>(std::time(nullptr)); });
  return std::make_unique<RemoteLine>(parts.clock, std::move(options), std::move(notes));
}

}  // namespace

RemoteLines::RemoteLines(RemoteLinesParts parts) : parts_(std::move(parts)) {
  for (const auto& setup : parts_.setups) lines_.push_back(make_line(setup, parts_));
}

RemoteLines::~RemoteLines() {
  for (auto& line : lines_)
    if (!line->close()) (void)line.release();  // a plugin may still tell of something
}

void RemoteLines::open() {
  if (std::exchange(opened_, true)) return;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const auto& address = parts_.setups[i].address;
    const auto kind = parts_.kind(scheme_of(address.url));
    if (kind) (void)lines_[i]->open(**kind, address);  // it tells of its own trouble
    else lines_[i]->refuse(kind.error());
  }
}

bool RemoteLines::is_usable(std::size_t line, RemoteLine::Direction direction) {
  return !opened_ || lines_[line]->usable(direction);
}

bool RemoteLines::any_readable() {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (is_usable(i, RemoteLine::Direction::read)) return true;
  return false;
}

bool RemoteLines::any_writable() {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (parts_.setups[i].push && (parts_.setups[i].required || is_usable(i, RemoteLine::Direction::write)))
      return true;
  return false;
}

bool RemoteLines::push_required() const {
  return std::any_of(parts_.setups.begin(), parts_.setups.end(),
                     [](const auto& setup) { return setup.required; });
}

bool RemoteLines::all_know(std::string_view key) const {
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (parts_.setups[i].push && !lines_[i]->notes().knows(key)) return false;
  return true;
}

std::vector<RemoteLine*> RemoteLines::pull_from() {
  open();
  std::vector<RemoteLine*> all;
  for (const auto& line : lines_) all.push_back(line.get());
  return all;
}

std::vector<PushTarget> RemoteLines::push_to() {
  open();
  std::vector<PushTarget> all;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (parts_.setups[i].push) all.push_back({lines_[i].get(), parts_.setups[i].required});
  return all;
}

}  // namespace weir
