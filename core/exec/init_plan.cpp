#include "core/exec/init_plan.h"

#include <sys/mman.h>
#include <sys/stat.h>

#include <array>
#include <cstring>

#include "core/base/wire.h"

namespace weir {
namespace {

// With its NUL, so that weir-init can use it in place.
void put_text(wire::Writer& writer, std::string_view text) {
  std::string whole(text);
  whole.push_back('\0');
  writer.text(whole);
}

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

std::string read_from(int file, off_t offset) {
  std::string bytes;
  std::array<char, 4096> buffer;
  for (;;) {
    const auto got = ::pread(file, buffer.data(), buffer.size(), offset + static_cast<off_t>(bytes.size()));
    if (got <= 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
    if (got < static_cast<ssize_t>(buffer.size())) return bytes;  // nobody writes any more, or what is there is taken
  }
}

Usage read_usage(wire::Reader& reader) {
  const auto cpu = reader.u64();
  const auto peak = reader.u64();
  return {Duration(static_cast<Duration::rep>(cpu)), peak};
}

Usage usage_in(const void* live) {
  std::array<std::uint64_t, 2> values;
  std::memcpy(values.data(), live, sizeof values);
  return {Duration(static_cast<Duration::rep>(values[0])), values[1]};
}

Time to_time(std::uint64_t nanoseconds) { return Time(Duration(static_cast<Duration::rep>(nanoseconds))); }

}  // namespace

Result<UniqueFd> make_plan_file(const InitPlan& plan) {
  const auto encoded = encode_plan(plan);
  wire::Writer file;
  file.u32(static_cast<std::uint32_t>(init::Wanted::run));
  file.u32(static_cast<std::uint32_t>(encoded.size()));
  file.u64(0);
  file.u64(0);
  file.u32((plan.on_terminal ? init::kOnTerminal : 0) | (plan.own_namespaces ? init::kOwnNamespaces : 0));
  file.u32(0);
  const auto bytes = file.take() + encoded;
  UniqueFd fd(::memfd_create("weir-plan", MFD_CLOEXEC));
  if (!fd) return fail_errno("making the plan of a job");
  if (::write(fd.get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
    return fail_errno("writing the plan of a job");
  return fd;
}

InitRecord read_record(int plan_file) {
  std::array<std::uint32_t, init::kHeaderSize / 4> header{};
  if (::pread(plan_file, header.data(), sizeof header, 0) != static_cast<ssize_t>(sizeof header)) return {};
  const auto bytes = read_from(plan_file, static_cast<off_t>(init::kHeaderSize) + header[init::kPlanSizeOffset / 4]);
  InitRecord record;
  record.usage = usage_in(header.data() + init::kLiveOffset / 4);
  record.begun = header[init::kBegunOffset / 4] != 0;
  wire::Reader reader(bytes);
  while (!reader.at_end() && reader.ok()) {
    const auto tag = reader.u8();
    if (tag == init::kTagEnd) {
      record.complete = reader.u32() == init::kEndMark && reader.ok() && reader.at_end();
      return record;
    }
    if (tag != init::kTagStep) return record;
    InitStepRecord step;
    step.step = reader.u32();
    const auto end = reader.u8();
    step.value = static_cast<int>(reader.u32());
    step.begin = to_time(reader.u64());
    step.finish = to_time(reader.u64());
    step.usage = read_usage(reader);
    if (!reader.ok() || end > static_cast<std::uint8_t>(init::StepEnd::no_fork)) return record;
    step.end = static_cast<init::StepEnd>(end);
    record.steps.push_back(step);
  }
  return record;
}

Usage read_live_usage(int plan_file) {
  std::array<std::uint64_t, 2> live{};
  if (::pread(plan_file, live.data(), sizeof live, init::kLiveOffset) != static_cast<ssize_t>(sizeof live)) return {};
  return usage_in(live.data());
}

void write_wanted(int plan_file, init::Wanted wanted) {
  const auto value = static_cast<std::uint32_t>(wanted);
  // The file has that length already, so this cannot fail for want of space.
  if (::pwrite(plan_file, &value, sizeof value, init::kWantedOffset) != sizeof value) return;
}

}  // namespace weir
