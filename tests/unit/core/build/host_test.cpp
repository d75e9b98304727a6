#include "core/build/host.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace weir {
namespace {

TEST(Host, tools_are_asked_once_and_the_answer_is_kept) {
  const TemporaryFolder cache;
  Host first(cache.path());
  const auto sh = first.version_of("sh");
  EXPECT_NE(sh, "none");
  EXPECT_EQ(first.version_of("no-such-tool-anywhere"), "none");
  first.save();
  const auto kept = cache.read("host-tools");
  ASSERT_NE(kept.find(sh), std::string::npos) << kept;

  // An answer that no tool would give shows that it was not asked again.
  auto changed = kept;
  changed.replace(changed.find(sh), sh.size(), "from the file");
  cache.write("host-tools", changed + "a line\twith too little\n\n");
  Host second(cache.path());
  EXPECT_EQ(second.version_of("sh"), "from the file");

  // With another stamp it is.
  changed.replace(changed.find('\t') + 1, 1, "9");
  cache.write("host-tools", changed);
  Host third(cache.path());
  EXPECT_EQ(third.version_of("sh"), sh);
}

TEST(Host, a_cache_that_cannot_be_written_is_no_trouble) {
  Host host("/no/such/folder");
  EXPECT_NE(host.version_of("sh"), "");
  host.save();
  EXPECT_FALSE(host.architecture().empty());
  EXPECT_FALSE(host.libc().empty());
}

}  // namespace
}  // namespace weir
