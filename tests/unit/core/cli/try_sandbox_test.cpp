#include "core/cli/try_sandbox.h"

#include <sys/stat.h>

#include "tests/support/temporary_folder.h"

namespace weir::cli {
namespace {

TEST(TrySandbox, a_program_that_hangs_is_ended_at_the_limit) {
  const TemporaryFolder folder;
  const auto program = folder / "bwrap";
  folder.write("bwrap", "#!/bin/sh\nsleep 1000\n");
  ::chmod(program.c_str(), 0755);
  const auto tried = try_sandbox(program, std::chrono::milliseconds(20));
  ASSERT_FALSE(tried);
  EXPECT_NE(tried.error().message.find("came to no end"), std::string::npos) << tried.error().message;
}

TEST(TrySandbox, a_program_that_is_not_there) {
  EXPECT_FALSE(try_sandbox("/no/such/bwrap", std::chrono::seconds(1)));
}

}  // namespace
}  // namespace weir::cli
