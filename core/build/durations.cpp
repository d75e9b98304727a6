#include "core/build/durations.h"

#include <algorithm>
#include <limits>

#include "core/base/wire.h"
#include "core/build/sealed_file.h"

namespace weir {

namespace {

constexpr std::string_view kMagic = "weir-durations";
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kKept = 5;  // one slow day does not count, and a change is noticed after three

SealedFile file_in(const std::string& folder) { return SealedFile(folder + "/durations"); }

std::uint32_t median(std::vector<std::uint32_t> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  return std::max<std::uint32_t>(1, *middle);
}

std::uint32_t milliseconds(double seconds) {
  constexpr double kMost = std::numeric_limits<std::uint32_t>::max();
  return static_cast<std::uint32_t>(std::clamp(seconds * 1000, 1.0, kMost));
}

}  // namespace

Durations Durations::load(const std::string& folder) {
  Durations all;
  const auto bytes = file_in(folder).read();
  if (!bytes) return all;
  wire::Reader in(*bytes);
  if (in.text() != kMagic || in.u32() != kVersion) return all;
  for (auto left = in.count(9); left > 0 && in.ok(); --left) {
    auto& samples = all.elements_[std::string(in.text())];
    for (auto more = in.count(4); more > 0 && in.ok(); --more) samples.push_back(in.u32());
  }
  if (!in.ok() || !in.at_end()) all.elements_.clear();
  return all;
}

std::uint32_t Durations::of(std::string_view element) const {
  const auto at = elements_.find(element);
  return at == elements_.end() ? 0 : median(at->second);
}

std::uint32_t Durations::usual() const {
  std::vector<std::uint32_t> all;
  for (const auto& [name, samples] : elements_) all.push_back(median(samples));
  return median(std::move(all));
}

void DurationNotes::on_event(const Event& event) {
  const auto* end = event.as<event::JobEnd>();
  if (end && end->queue == "build" && end->result == "succeeded") built_[std::string(end->element)] = milliseconds(end->seconds);
}

Status DurationNotes::save(const std::string& folder) const {
  if (built_.empty()) return {};
  const auto alone = file_in(folder).lock();
  if (!alone) return tl::unexpected(alone.error());
  auto all = Durations::load(folder);
  for (const auto& [name, took] : built_) {
    auto& samples = all.elements_[name];
    samples.push_back(took);
    if (samples.size() > kKept) samples.erase(samples.begin());
  }
  wire::Writer out;
  out.text(kMagic);
  out.u32(kVersion);
  out.u32(static_cast<std::uint32_t>(all.elements_.size()));
  for (const auto& [name, samples] : all.elements_) {
    out.text(name);
    out.u32(static_cast<std::uint32_t>(samples.size()));
    for (const auto sample : samples) out.u32(sample);
  }
  return file_in(folder).write(out.take());
}

}  // namespace weir
