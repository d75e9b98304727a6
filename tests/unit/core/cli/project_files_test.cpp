#include "core/cli/project_files.h"

#include "core/project/load.h"
#include "tests/support/temporary_folder.h"

namespace weir::cli {
namespace {

class ProjectFilesTest : public testing::Test {
 protected:
  ProjectFilesTest() {
    folder_.write("sub/weir.toml",
                  "weir = 1\n"
                  "[element.app]\nkind = \"script\"\n"
                  "source = [{ kind = \"local\", path = \"src\" }, { kind = \"local\", path = \"lib\", "
                  "directory = \"deps/lib\" }]\n");
    folder_.write("sub/src/main.c", "");
    folder_.write("sub/src/in/deep.c", "");
    folder_.write("sub/lib/lib.c", "");
    folder_.write("sub/tools/gen.py", "");
    folder_.write("outside.c", "");
    loaded_ = load_project({.directory = folder_ / "sub"});
  }
  std::string find(const std::string& path, const std::string& repository = {},
                   const std::string& element = "app") {
    return ProjectFiles(loaded_.project, repository).find(element, "/build", path).value_or("none");
  }
  TemporaryFolder folder_;
  LoadedProject loaded_;
};

TEST_F(ProjectFilesTest, a_file_of_the_build_directory_is_one_of_a_local_source) {
  ASSERT_TRUE(loaded_.ok());
  EXPECT_EQ(find("main.c"), "src/main.c");
  EXPECT_EQ(find("./in/../main.c"), "src/main.c");
  EXPECT_EQ(find("in/deep.c"), "src/in/deep.c");
  EXPECT_EQ(find("deps/lib/lib.c"), "lib/lib.c");
  EXPECT_EQ(find("/build/main.c"), "src/main.c");
  EXPECT_EQ(find("../main.c"), "src/main.c") << "as an out-of-tree build says";
}

TEST_F(ProjectFilesTest, or_one_of_the_project_itself) {
  EXPECT_EQ(find("tools/gen.py"), "tools/gen.py");
  EXPECT_EQ(find(folder_ / "sub/tools/gen.py"), "tools/gen.py");
}

TEST_F(ProjectFilesTest, paths_are_those_of_the_repository_if_the_project_is_in_one) {
  EXPECT_EQ(find("main.c", folder_.path()), "sub/src/main.c");
  EXPECT_EQ(find("main.c", folder_ / "sub"), "src/main.c");
  EXPECT_EQ(find("main.c", folder_ / "elsewhere"), "src/main.c");
}

TEST_F(ProjectFilesTest, what_is_not_there_or_not_of_the_project_is_no_file) {
  for (const auto& path :
       {std::string("nosuch.c"), std::string("/usr/include/stdio.h"), folder_ / "outside.c",
        std::string("/build"), std::string("in"), std::string(""), std::string("/"), std::string(".."),
        std::string("main.c\0x", 8), std::string(5000, 'x')})
    EXPECT_EQ(find(path), "none") << path;
  EXPECT_EQ(find("main.c", {}, "nosuch"), "none");
}

}  // namespace
}  // namespace weir::cli
