#include "resources/memory_pressure.h"

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

using namespace std::chrono_literals;

class ScriptedPressure final : public PressureSource {
 public:
  MemoryPressure read() override {
    ++reads;
    return now;
  }
  MemoryPressure now{0.0, 0};
  int reads = 0;
};

constexpr std::uint64_t kReserve = 1000;

TEST(MemoryBrake, holds_above_ten_percent_and_lets_go_below_five) {
  ScriptedPressure source;
  MemoryBrake brake(source, kReserve);
  Time now{};
  const auto holds_at = [&](double stalled) {
    source.now.stalled = stalled;
    now += 1s;
    return brake.holds(now);
  };
  EXPECT_FALSE(holds_at(9.9));
  EXPECT_TRUE(holds_at(10.1));
  EXPECT_TRUE(holds_at(5.1));
  EXPECT_FALSE(holds_at(5.0));
  EXPECT_FALSE(holds_at(9.9));
}

TEST(MemoryBrake, asks_once_a_second_at_most) {
  ScriptedPressure source;
  MemoryBrake brake(source, kReserve);
  Time now{};
  EXPECT_FALSE(brake.holds(now));
  source.now.stalled = 50;
  EXPECT_FALSE(brake.holds(now + 999ms));
  EXPECT_EQ(source.reads, 1);
  EXPECT_EQ(brake.next_look(), now + 1s);
  EXPECT_TRUE(brake.holds(now + 1s));
  EXPECT_EQ(source.reads, 2);
}

TEST(MemoryBrake, where_stalls_are_not_told_what_is_available_decides) {
  ScriptedPressure source;
  MemoryBrake brake(source, kReserve);
  Time now{};
  const auto holds_with = [&](std::uint64_t available) {
    source.now = {std::nullopt, available};
    now += 1s;
    return brake.holds(now);
  };
  EXPECT_FALSE(holds_with(kReserve));
  EXPECT_TRUE(holds_with(kReserve - 1));
  EXPECT_TRUE(holds_with(2 * kReserve - 1));
  EXPECT_FALSE(holds_with(2 * kReserve));
}

TEST(SystemPressure, the_worst_of_the_machine_and_of_all_cgroups_above) {
  TemporaryFolder root;
  const ProbeRoots roots{root / "proc", root / "cg"};
  root.write(
      "proc/pressure/memory",
      "some avg10=1.25 avg60=9.00 avg300=0.00 total=5\nfull avg10=80.00 avg60=0.00 avg300=0.00 total=0\n");
  EXPECT_EQ(SystemPressure(roots).read().stalled, 1.25);
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("cg/a/b/memory.pressure", "some avg10=0.50 avg60=0.00 avg300=0.00 total=5\n");
  EXPECT_EQ(SystemPressure(roots).read().stalled, 1.25);
  root.write("cg/a/memory.pressure", "some avg10=12.00 avg60=0.00 avg300=0.00 total=5\n");
  EXPECT_EQ(SystemPressure(roots).read().stalled, 12.0);
}

TEST(SystemPressure, without_it_what_is_available_is_told) {
  TemporaryFolder root;
  root.write("proc/meminfo", "MemTotal: 8000 kB\nMemAvailable: 5000 kB\n");
  root.write("proc/pressure/memory", "some nonsense\n");
  const auto pressure = SystemPressure({root / "proc", root / "cg"}).read();
  EXPECT_EQ(pressure.stalled, std::nullopt);
  EXPECT_EQ(pressure.available, 5000U * 1024);
}

TEST(SystemPressure, this_machine_says_something) {
  const auto pressure = SystemPressure().read();
  EXPECT_TRUE(pressure.stalled || pressure.available > 0);
}

}  // namespace
}  // namespace weir
