#include "core/build/durations.h"

#include <algorithm>
#include <limits>

#include "core/base/median.h"
#include "core/base/wire.h"
#include "core/build/merge_by_name.h"
#include "core/build/sealed_file.h"

namespace weir {

namespace {

constexpr std::string_view kDurationsMagic = "weir-durations";
constexpr std::uint32_t kDurationsVersion = 1;
SealedFile durations_file(const std::string& folder) { return SealedFile(folder + "/durations"); }

std::string durations_head() {
  wire::Writer out;
  out.text(kDurationsMagic);
  out.u32(kDurationsVersion);
  return out.take();
}

std::uint32_t median_or_zero(std::vector<std::uint32_t> samples) {
  return samples.empty() ? 0 : std::max<std::uint32_t>(1, median(std::move(samples)));
}

std::uint32_t milliseconds(double seconds) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(seconds * 1000, 1.0, kMost));
}

}  // namespace

void Durations::Entry::add(std::uint32_t took) {
  if (count == kKept) std::move(samples.begin() + 1, samples.end(), samples.begin());
  else ++count;
  samples[count - 1] = took;
}

std::uint32_t Durations::Entry::median() const {
  auto sorted = samples;
  std::sort(sorted.begin(), sorted.begin() + count);
  return count ? std::max<std::uint32_t>(1, sorted[count / 2]) : 0;
}

Durations Durations::load(const std::string& folder) {
  Durations all;
  auto bytes = durations_file(folder).read();
  if (!bytes) return all;
  all.bytes_ = std::make_shared<const std::string>(std::move(*bytes));
  wire::Reader in(*all.bytes_);
  if (in.text() != kDurationsMagic || in.u32() != kDurationsVersion) return all;
  const auto count = in.count(9);
  all.elements_.reserve(count);
  for (auto left = count; left > 0 && in.ok(); --left) {
    auto& entry = all.elements_.emplace_back(Entry{in.text()});
    for (auto more = in.count(4); more > 0 && in.ok(); --more) entry.add(in.u32());
    if (all.elements_.size() > 1 && entry.name <= (&entry - 1)->name) in.mark_bad();
  }
  if (!in.ok() || !in.at_end()) all.elements_.clear();
  for (const auto& change : durations_file(folder).appended()) all.apply(change);
  return all;
}

void Durations::apply(std::string_view change) {
  wire::Reader in(change);
  for (auto left = in.count(8); left > 0 && in.ok(); --left) {
    const auto name = in.text();
    const auto took = in.u32();
    if (in.ok()) make(name).add(took);
  }
}

const Durations::Entry* Durations::find(std::string_view element) const {
  const auto at =
      std::lower_bound(elements_.begin(), elements_.end(), element,
                       [](const Entry& entry, std::string_view name) { return entry.name < name; });
  return at != elements_.end() && at->name == element ? &*at : nullptr;
}

Durations::Entry& Durations::make(std::string_view element) {
  const auto at =
      std::lower_bound(elements_.begin(), elements_.end(), element,
                       [](const Entry& entry, std::string_view name) { return entry.name < name; });
  if (at != elements_.end() && at->name == element) return *at;
  if (!added_) added_ = std::make_shared<std::deque<std::string>>();
  return *elements_.insert(at, Entry{added_->emplace_back(element)});
}

std::uint32_t Durations::of(std::string_view element) const {
  const auto* entry = find(element);
  return entry ? entry->median() : 0;
}

std::uint32_t Durations::usual() const {
  std::vector<std::uint32_t> all;
  for (const auto& entry : elements_) all.push_back(entry.median());
  return median_or_zero(std::move(all));
}

void DurationNotes::on_event(const Event& event) {
  const auto* end = event.as<event::JobEnd>();
  if (end && end->queue == "build" && end->result == "succeeded")
    built_[std::string(end->element)] = milliseconds(end->seconds);
}

std::string DurationNotes::encode() const {
  wire::Writer out;
  out.u32(static_cast<std::uint32_t>(built_.size()));
  for (const auto& [name, took] : built_) {
    out.text(name);
    out.u32(took);
  }
  return out.take();
}

Status DurationNotes::save(const std::string& folder) const {
  if (built_.empty()) return {};
  const auto alone = durations_file(folder).lock();
  if (!alone) return tl::unexpected(alone.error());
  if (const auto change = encode();
      durations_file(folder).is_worth_appending(change.size(), durations_head()))
    return durations_file(folder).append(change);
  const auto before = Durations::load(folder);
  wire::Writer elements;
  std::uint32_t count = 0;
  const auto keep = [&](const Durations::Entry& entry) {
    elements.text(entry.name);
    elements.u32(entry.count);
    for (std::uint32_t i = 0; i < entry.count; ++i) elements.u32(entry.samples[i]);
    ++count;
  };
  merge_by_name(before.elements_, built_, keep,
                [](Durations::Entry& entry, std::uint32_t took) { entry.add(took); });
  wire::Writer out;
  out.u32(count);
  return durations_file(folder).write(durations_head() + out.take() + elements.take());
}

}  // namespace weir
