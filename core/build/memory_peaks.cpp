#include "core/build/memory_peaks.h"

#include <algorithm>
#include <limits>

#include "core/base/wire.h"
#include "core/build/merge_by_name.h"
#include "core/build/sealed_file.h"

namespace weir {

namespace {

constexpr std::string_view kMemoryMagic = "weir-memory";
constexpr std::uint32_t kMemoryVersion = 1;

SealedFile memory_file(const std::string& folder) { return SealedFile(folder + "/memory"); }

std::string memory_head() {
  wire::Writer out;
  out.text(kMemoryMagic);
  out.u32(kMemoryVersion);
  return out.take();
}

// At least 1, since 0 is "none".
std::uint32_t kibibytes(std::uint64_t bytes) {
  return static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>((bytes + 1023) / 1024, 1, std::numeric_limits<std::uint32_t>::max()));
}

void write_element(wire::Writer& out, std::string_view name, const MemoryPeak& peak) {
  out.text(name);
  out.u32(peak.killed_at);
  for (const auto sample : peak.samples) out.u32(sample);
}

}  // namespace

std::uint64_t MemoryPeak::most() const {
  return std::uint64_t{*std::max_element(samples.begin(), samples.end())} * 1024;
}

MemoryPeaks MemoryPeaks::load(const std::string& folder) {
  MemoryPeaks all;
  auto bytes = memory_file(folder).read();
  if (!bytes) return all;
  all.bytes_ = std::make_shared<const std::string>(std::move(*bytes));
  wire::Reader in(*all.bytes_);
  if (in.text() != kMemoryMagic || in.u32() != kMemoryVersion) return all;
  constexpr std::size_t kLeast = 8 + 4 * MemoryPeak::kKept;
  const auto count = in.count(kLeast);
  all.elements_.reserve(count);
  for (auto left = count; left > 0 && in.ok(); --left) {
    Entry entry{in.text(), {}};
    entry.peak.killed_at = in.u32();
    for (auto& sample : entry.peak.samples) sample = in.u32();
    if (!all.elements_.empty() && entry.name <= all.elements_.back().name) in.mark_bad();
    all.elements_.push_back(entry);
  }
  if (!in.ok() || !in.at_end()) all.elements_.clear();
  for (const auto& change : memory_file(folder).appended()) MemoryNotes::apply(change, all);
  return all;
}

MemoryPeak MemoryPeaks::of(std::string_view element) const {
  const auto at =
      std::lower_bound(elements_.begin(), elements_.end(), element,
                       [](const Entry& entry, std::string_view name) { return entry.name < name; });
  return at != elements_.end() && at->name == element ? at->peak : MemoryPeak{};
}

void MemoryNotes::on_event(const Event& event) {
  const auto* end = event.as<event::JobEnd>();
  if (!end || end->queue != "build") return;
  const bool killed = end->failure.text == "oom";
  if (!killed && (end->result != "succeeded" || end->peak_bytes == 0)) return;
  auto& note = built_[std::string(end->element)];
  if (killed) note.killed_at = std::max(note.killed_at, kibibytes(end->peak_bytes));
  else note = {kibibytes(end->peak_bytes), 0};
}

MemoryPeak MemoryNotes::changed(MemoryPeak peak, const Note& note) {
  if (note.peak) {
    std::move_backward(peak.samples.begin(), peak.samples.end() - 1, peak.samples.end());
    peak.samples.front() = note.peak;
    peak.killed_at = note.killed_at;
  } else {
    peak.killed_at = std::max(peak.killed_at, note.killed_at);
  }
  return peak;
}

std::string MemoryNotes::encode() const {
  wire::Writer out;
  out.u32(static_cast<std::uint32_t>(built_.size()));
  for (const auto& [name, note] : built_) {
    out.text(name);
    out.u32(note.peak);
    out.u32(note.killed_at);
  }
  return out.take();
}

void MemoryNotes::apply(std::string_view change, MemoryPeaks& peaks) {
  wire::Reader in(change);
  for (auto left = in.count(12); left > 0 && in.ok(); --left) {
    const auto name = in.text();
    Note note;
    note.peak = in.u32();
    note.killed_at = in.u32();
    if (!in.ok()) return;
    auto& all = peaks.elements_;
    auto at = std::lower_bound(
        all.begin(), all.end(), name,
        [](const MemoryPeaks::Entry& entry, std::string_view wanted) { return entry.name < wanted; });
    if (at == all.end() || at->name != name) {
      if (!peaks.added_) peaks.added_ = std::make_shared<std::deque<std::string>>();
      at = all.insert(at, {peaks.added_->emplace_back(name), {}});
    }
    at->peak = changed(at->peak, note);
  }
}

Status MemoryNotes::save(const std::string& folder) const {
  if (built_.empty()) return {};
  const auto alone = memory_file(folder).lock();
  if (!alone) return tl::unexpected(alone.error());
  if (const auto change = encode(); memory_file(folder).is_worth_appending(change.size(), memory_head()))
    return memory_file(folder).append(change);
  const auto before = MemoryPeaks::load(folder);
  wire::Writer elements;
  std::uint32_t count = 0;
  const auto keep = [&](const MemoryPeaks::Entry& entry) {
    write_element(elements, entry.name, entry.peak);
    ++count;
  };
  merge_by_name(before.elements(), built_, keep,
                [](MemoryPeaks::Entry& entry, const Note& note) { entry.peak = changed(entry.peak, note); });
  wire::Writer out;
  out.u32(count);
  return memory_file(folder).write(memory_head() + out.take() + elements.take());
}

}  // namespace weir
