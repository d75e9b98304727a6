#include "resources/probe.h"

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

// A machine described by files.
class FakeMachine {
 public:
  FakeMachine() {
    file("proc/meminfo", "MemTotal:       8000000 kB\nMemFree: 1 kB\nMemAvailable:   5000000 kB\n");
  }
  FakeMachine& file(const std::string& path, const std::string& text) {
    root_.write(path, text);
    return *this;
  }
  ProbeRoots roots() const { return {root_ / "proc", root_ / "cg"}; }
  Machine probe(std::uint64_t address_space = kUnlimited) const {
    return probe_machine(roots(), {16, address_space});
  }
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

 private:
  TemporaryFolder root_;
};

constexpr std::uint64_t kTotal = 8'000'000ULL * 1024;
constexpr std::uint64_t kAvailable = 5'000'000ULL * 1024;

TEST(Probe, without_cgroups_the_machine_is_the_limit) {
  FakeMachine m;
  EXPECT_EQ(m.probe().cores, 16U);
  EXPECT_EQ(m.probe().memory, kTotal);
  EXPECT_EQ(m.probe().available, kAvailable);
}

TEST(Probe, v2_limits_of_all_parents_count) {
  FakeMachine m;
  m.file("proc/self/cgroup", "0::/a/b\n").file("cg/cgroup.controllers", "cpu memory\n");
  m.file("cg/a/b/cpu.max", "max 100000\n").file("cg/a/cpu.max", "350000 100000\n");
  m.file("cg/a/b/memory.max", "2000000000\n").file("cg/a/b/memory.current", "500000000\n");
  m.file("cg/a/memory.max", "max\n");
  EXPECT_EQ(m.probe().cores, 4U);  // 3.5 rounded up
  EXPECT_EQ(m.probe().memory, 2'000'000'000U);
  EXPECT_EQ(m.probe().available, 1'500'000'000U);
}

TEST(Probe, v1_limits_are_per_controller) {
  FakeMachine m;
  m.file("proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/c/d\n1:name=systemd:/\n");
  m.file("cg/cpu/c/d/cpu.cfs_quota_us", "-1\n").file("cg/cpu/c/d/cpu.cfs_period_us", "100000\n");
  m.file("cg/cpu/c/cpu.cfs_quota_us", "200000\n").file("cg/cpu/c/cpu.cfs_period_us", "100000\n");
  m.file("cg/memory/m/memory.limit_in_bytes", "1000000000\n")
      .file("cg/memory/m/memory.usage_in_bytes", "2000000000\n");
  m.file("cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(m.probe().cores, 2U);
  EXPECT_EQ(m.probe().memory, 1'000'000'000U);
  EXPECT_EQ(m.probe().available, 0U);
}

TEST(Probe, hybrid_takes_the_smaller_of_both) {
  FakeMachine m;
  m.file("proc/self/cgroup", "4:memory:/m\n1:cpu:/\n0::/u\n").file("cg/unified/cgroup.controllers", "");
  m.file("cg/memory/m/memory.limit_in_bytes", "1000000000\n");
  m.file("cg/unified/u/cpu.max", "100000 100000\n");
  EXPECT_EQ(m.probe().cores, 1U);
  EXPECT_EQ(m.probe().memory, 1'000'000'000U);
}

TEST(Probe, a_container_sees_its_own_cgroup_at_the_mount) {
  FakeMachine m;
  m.file("proc/self/cgroup", "0::/docker/0123\n").file("cg/cgroup.controllers", "cpu\n");
  m.file("cg/cpu.max", "200000 100000\n");
  EXPECT_EQ(m.probe().cores, 2U);
}

TEST(Probe, garbage_is_no_limit) {
  FakeMachine m;
  m.file("proc/self/cgroup", "nonsense\n::\n0::/a\n")
      .file("cg/a/cpu.max", "many\n")
      .file("cg/a/memory.max", "12xyz\n");
  m.file("cg/cpu.max", "100000 0\n").file("cg/memory.max", "");
  EXPECT_EQ(m.probe().cores, 16U);
  EXPECT_EQ(m.probe().memory, kTotal);
}

TEST(Probe, a_tiny_quota_is_still_one_core) {
  FakeMachine m;
  m.file("proc/self/cgroup", "0::/\n").file("cg/cpu.max", "10000 100000\n");
  EXPECT_EQ(m.probe().cores, 1U);
}

TEST(Probe, the_cache_of_files_in_a_cgroup_is_available) {
  FakeMachine v2;
  v2.file("proc/self/cgroup", "0::/a\n")
      .file("cg/a/memory.max", "1000000\n")
      .file("cg/a/memory.current", "900000\n");
  v2.file("cg/a/memory.stat", "anon 100000\nfile 800000\ninactive_file 300000\nactive_file 200000\n");
  EXPECT_EQ(v2.probe().available, 600'000U);
  FakeMachine v1;
  v1.file("proc/self/cgroup", "4:memory:/a\n").file("cg/memory/a/memory.limit_in_bytes", "1000000\n");
  v1.file("cg/memory/a/memory.usage_in_bytes", "900000\n");
  v1.file("cg/memory/a/memory.stat",
          "inactive_file 1\ntotal_inactive_file 300000\ntotal_active_file 200000\n");
  EXPECT_EQ(v1.probe().available, 600'000U);
}

TEST(Probe, a_limit_of_the_address_space_limits_memory) {
  FakeMachine m;
  EXPECT_EQ(m.probe(1'000'000'000).memory, 1'000'000'000U);
  m.file("proc/self/cgroup", "4:memory:/m\n").file("cg/memory/m/memory.limit_in_bytes", "500000000\n");
  EXPECT_EQ(m.probe(1'000'000'000).memory, 500'000'000U);
}

TEST(Probe, the_reserve_is_a_sixteenth_but_neither_tiny_nor_huge) {
  constexpr std::uint64_t kGiB = 1024 * 1024 * 1024;
  EXPECT_EQ(memory_reserve(16 * kGiB), kGiB);
  EXPECT_EQ(memory_reserve(512 * kGiB), 2 * kGiB);
  EXPECT_EQ(memory_reserve(kGiB / 2), kGiB / 16);
  EXPECT_EQ(memory_reserve(kGiB / 64), kGiB / 256);  // a quarter of what is very little
}

TEST(Probe, this_machine_has_cores_and_memory) {
  const auto machine = probe_machine();
  EXPECT_GE(machine.cores, 1U);
  EXPECT_GT(machine.memory, machine.available);
  EXPECT_GT(machine.available, 1'000'000U);
}

}  // namespace
}  // namespace weir
