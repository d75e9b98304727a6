// The memory file that weir and weir-init share: what is read back from it is taken from nobody on trust.
#include "core/exec/init_plan.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/base/wire.h"

namespace weir {
namespace {

InitPlan plan_of(std::size_t steps, const std::string& value = "v") {
  InitPlan plan;
  plan.environment.emplace_back("NAME", value);
  for (std::size_t i = 0; i < steps; ++i) plan.steps.push_back({{"true"}, "/"});
  return plan;
}

std::string step_bytes(std::uint32_t step, int exit = 0) {
  wire::Writer writer;
  writer.u8(init::kTagStep);
  writer.u32(step);
  writer.u8(static_cast<std::uint8_t>(init::StepEnd::exited));
  writer.u32(static_cast<std::uint32_t>(exit));
  for (int i = 0; i < 4; ++i) writer.u64(1);
  return writer.take();
}

std::string end_bytes() {
  wire::Writer writer;
  writer.u8(init::kTagEnd);
  writer.u32(init::kEndMark);
  return writer.take();
}

// As weir-init does, behind the plan.
void write_record(const PlanFile& file, const std::string& bytes) {
  std::uint32_t size = 0;
  ASSERT_EQ(::pread(file.fd(), &size, sizeof size, init::kPlanSizeOffset), static_cast<ssize_t>(sizeof size));
  ASSERT_EQ(::pwrite(file.fd(), bytes.data(), bytes.size(), static_cast<off_t>(init::kHeaderSize + size)),
            static_cast<ssize_t>(bytes.size()));
}

TEST(PlanFile, sizes_of_the_protocol_are_those_of_the_records) {
  EXPECT_EQ(step_bytes(0).size(), init::kStepSize);
  EXPECT_EQ(end_bytes().size(), init::kEndSize);
}

TEST(PlanFile, a_whole_record_is_read) {
  const auto file = std::move(*PlanFile::make(plan_of(2)));
  EXPECT_FALSE(file.record().complete);
  write_record(file, step_bytes(0) + step_bytes(1) + end_bytes());
  const auto record = file.record();
  EXPECT_TRUE(record.complete && record.all_good());
  EXPECT_EQ(record.steps.size(), 2U);
}

TEST(PlanFile, of_one_that_is_cut_off_the_whole_steps_are) {
  const auto file = std::move(*PlanFile::make(plan_of(2)));
  write_record(file, step_bytes(0));
  EXPECT_EQ(file.record().steps.size(), 1U);
  EXPECT_FALSE(file.record().complete);
}

TEST(PlanFile, a_step_that_the_plan_does_not_have_is_none) {
  const auto file = std::move(*PlanFile::make(plan_of(2)));
  write_record(file, step_bytes(0) + step_bytes(2) + end_bytes());
  EXPECT_EQ(file.record().steps.size(), 1U);
  EXPECT_FALSE(file.record().complete);
}

// A hostile job can write the record of its own weir-init.
TEST(PlanFile, forged_times_and_values_stay_in_range) {
  const auto file = std::move(*PlanFile::make(plan_of(2)));
  wire::Writer step;
  step.u8(init::kTagStep);
  step.u32(0);
  step.u8(static_cast<std::uint8_t>(init::StepEnd::exited));
  step.u32(1);
  step.u64(2);           // begins
  step.u64(1ULL << 63);  // ends: negative as a time
  step.u64(~0ULL);       // CPU time
  step.u64(1);
  write_record(file, step.take() + step_bytes(1, 1 << 30) + end_bytes());
  const std::uint64_t live = ~0ULL;
  ASSERT_EQ(::pwrite(file.fd(), &live, sizeof live, init::kLiveOffset), static_cast<ssize_t>(sizeof live));
  const auto record = file.record();
  ASSERT_EQ(record.steps.size(), 1U) << "128 + 2^30 is no exit code";
  EXPECT_GE(record.steps[0].finish, record.steps[0].begin);
  EXPECT_GE(record.steps[0].usage.cpu.count(), 0);
  EXPECT_GE(record.usage.cpu.count(), 0);
  EXPECT_GE(file.live_usage().cpu.count(), 0);
}

TEST(PlanFile, another_plan_has_no_record_of_the_one_before) {
  auto file = std::move(*PlanFile::make(plan_of(3, "a long value that moves the record")));
  write_record(file, step_bytes(0) + step_bytes(1) + step_bytes(2) + end_bytes());
  for (const auto* value : {"", "short", "a long value that moves the record",
                            "one that is longer than the one which was there"}) {
    ASSERT_TRUE(file.replace(plan_of(3, value)));
    const auto record = file.record();
    EXPECT_FALSE(record.complete) << value;
    EXPECT_TRUE(record.steps.empty()) << value;
    write_record(file, step_bytes(0) + step_bytes(1) + step_bytes(2) + end_bytes());
    EXPECT_TRUE(file.record().complete) << value;
  }
}

TEST(PlanFile, one_that_does_not_fit_is_refused_and_the_file_is_as_it_was) {
  auto file = std::move(*PlanFile::make(plan_of(1)));
  write_record(file, step_bytes(0) + end_bytes());
  EXPECT_FALSE(file.replace(plan_of(1, std::string(100'000, 'x'))));
  EXPECT_TRUE(file.record().complete);
  auto large = PlanFile::make(plan_of(1, std::string(100'000, 'x')));
  ASSERT_TRUE(large);
  EXPECT_TRUE(large->replace(plan_of(1)));
}

TEST(PlanFile, keeps_its_size) {
  const auto file = std::move(*PlanFile::make(plan_of(1)));
  EXPECT_NE(::ftruncate(file.fd(), 0), 0);
  EXPECT_NE(::ftruncate(file.fd(), 1 << 20), 0);
  EXPECT_FALSE(file.record().complete);
}

}  // namespace
}  // namespace weir
