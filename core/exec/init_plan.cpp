#include "core/exec/init_plan.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/base/wire.h"

namespace weir {
namespace {

// With its NUL, so that weir-init can use it in place.
void put_text(wire::Writer& writer, const std::string& text) { writer.text({text.c_str(), text.size() + 1}); }

// Most plans fit, whatever plan was there before.
constexpr std::size_t kUsualSize = 64 * 1024;

std::size_t record_size(const InitPlan& plan) { return plan.steps.size() * init::kStepSize + init::kEndSize; }

std::string encode_plan(const InitPlan& plan) {
  wire::Writer writer;
  writer.u32(static_cast<std::uint32_t>(plan.environment.size()));
  for (const auto& [name, value] : plan.environment) put_text(writer, name + "=" + value);
  writer.u32(static_cast<std::uint32_t>(plan.mounts.size()));
  for (const auto& mount : plan.mounts) {
    put_text(writer, mount.from);
    put_text(writer, mount.to);
  }
  writer.u32(static_cast<std::uint32_t>(plan.steps.size()));
  for (const auto& step : plan.steps) {
    put_text(writer, step.directory);
    for (const auto* words : {&step.argv, &step.plain}) {
      writer.u32(static_cast<std::uint32_t>(words->size()));
      for (const auto& argument : *words) put_text(writer, argument);
    }
  }
  return writer.take();
}

std::string encode_file(const InitPlan& plan) {
  const auto encoded = encode_plan(plan);
  wire::Writer file;
  file.u32(static_cast<std::uint32_t>(init::Wanted::run));
  file.u32(static_cast<std::uint32_t>(encoded.size()));
  file.u64(0);
  file.u64(0);
  file.u32((plan.on_terminal ? init::kOnTerminal : 0) | (plan.own_namespaces ? init::kOwnNamespaces : 0) |
           (plan.confined ? init::kConfined : 0) | (plan.user_namespaces ? init::kUserNamespaces : 0));
  file.u32(0);
  file.u32(0);
  return file.take() + encoded;
}

// A job can write into the file, too. No time in it is negative or beyond this, so that what weir adds up
// stays in range.
constexpr std::uint64_t kLongestNs = std::uint64_t{1} << 60;  // 36 years
constexpr std::uint32_t kMostValue = 4095;  // the largest errno; exit codes and signals are smaller

Duration duration_of(std::uint64_t nanoseconds) {
  return Duration(static_cast<Duration::rep>(std::min(nanoseconds, kLongestNs)));
}

Usage read_usage(wire::Reader& reader) {
  const auto cpu = reader.u64();
  const auto peak = reader.u64();
  return {duration_of(cpu), peak};
}

}  // namespace

Result<PlanFile> PlanFile::make(const InitPlan& plan) {
  const auto bytes = encode_file(plan);
  const auto record = record_size(plan);
  PlanFile made;
  made.fd_ = UniqueFd(::memfd_create("weir-plan", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!made.fd_) return fail_errno("making the plan of a job");
  const auto size = std::max(kUsualSize, bytes.size() + record);
  if (::ftruncate(made.fd_.get(), static_cast<off_t>(size)) != 0)
    return fail_errno("making room for the plan of a job");
  // A job can open the file of its weir-init. If it could make it shorter, weir would die of it, here, with
  // all other jobs.
  if (::fcntl(made.fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return fail_errno("sealing the plan of a job");
  void* map = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, made.fd_.get(), 0);
  if (map == MAP_FAILED) return fail_errno("mapping the plan of a job");
  made.map_ = static_cast<char*>(map);
  made.size_ = size;
  made.put(bytes, record);
  made.steps_ = plan.steps.size();
  return made;
}

PlanFile::~PlanFile() {
  if (map_) ::munmap(map_, size_);
}

void PlanFile::swap(PlanFile& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(map_, other.map_);
  std::swap(size_, other.size_);
  std::swap(used_, other.used_);
  std::swap(steps_, other.steps_);
}

bool PlanFile::replace(const InitPlan& plan) {
  if (!put(encode_file(plan), record_size(plan))) return false;
  steps_ = plan.steps.size();
  return true;
}

// Zeros behind it: what is left of an earlier record must not be taken for one of this plan. And pages that
// weir has touched are there when weir-init writes.
bool PlanFile::put(const std::string& bytes, std::size_t record) {
  const auto end = bytes.size() + record;
  if (end > size_) return false;
  std::memcpy(map_, bytes.data(), bytes.size());
  std::memset(map_ + bytes.size(), 0, std::max(end, used_) - bytes.size());
  used_ = end;
  return true;
}

InitRecord PlanFile::record() const {
  std::uint32_t plan_size = 0, begun = 0;
  std::memcpy(&plan_size, map_ + init::kPlanSizeOffset, sizeof plan_size);
  std::memcpy(&begun, map_ + init::kBegunOffset, sizeof begun);
  InitRecord record;
  record.usage = live_usage();
  record.begun = begun != 0;
  std::uint32_t flags = 0;
  std::memcpy(&flags, map_ + init::kFlagsOffset, sizeof flags);
  record.at_process_limit = flags & init::kAtProcessLimit;
  std::memcpy(&record.processes, map_ + init::kProcessesOffset, sizeof record.processes);
  const auto from = init::kHeaderSize + std::size_t{plan_size};
  if (from > used_) return record;
  wire::Reader reader(std::string_view(map_ + from, used_ - from));
  while (!reader.at_end() && reader.ok()) {
    const auto tag = reader.u8();
    if (tag == init::kTagEnd) {
      record.complete = reader.u32() == init::kEndMark && reader.ok();
      return record;
    }
    if (tag != init::kTagStep) return record;
    InitStepRecord step;
    step.step = reader.u32();
    const auto end = reader.u8();
    const auto value = reader.u32();
    step.begin = Time(duration_of(reader.u64()));
    step.finish = std::max(step.begin, Time(duration_of(reader.u64())));
    step.usage = read_usage(reader);
    if (!reader.ok() || step.step >= steps_ || end > static_cast<std::uint8_t>(init::StepEnd::no_fork) ||
        value > kMostValue)
      return record;
    step.value = static_cast<int>(value);
    step.end = static_cast<init::StepEnd>(end);
    record.steps.push_back(step);
  }
  return record;
}

Usage PlanFile::live_usage() const {
  std::array<std::uint64_t, 2> values;
  std::memcpy(values.data(), map_ + init::kLiveOffset, sizeof values);
  return {duration_of(values[0]), values[1]};
}

void PlanFile::want(init::Wanted wanted) {
  *reinterpret_cast<volatile std::uint32_t*>(map_ + init::kWantedOffset) = static_cast<std::uint32_t>(wanted);
}

}  // namespace weir
