// Real releases: the upstream archives of Debian's source packages, built by weir with their real
// dependencies among each other, and a program that uses them all. The source entries are those of this
// machine's apt, in a configuration of the test's own. Where they cannot be had the test says so and is
// skipped.
#include <filesystem>
#include <fstream>

#include "tests/e2e/project_texts.h"
#include "tests/support/run_program.h"

namespace weir::test {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, std::string> kPackages = {
    {"zlib", "zlib"},  {"libpng", "libpng1.6"}, {"expat", "expat"},     {"libyaml", "libyaml"},
    {"lua", "lua5.4"}, {"jansson", "jansson"},  {"libxml2", "libxml2"},
};

// apt with folders of its own below `folder`, asking the same servers as the machine's own, for the sources
// of the release alone.
class PrivateApt {
 public:
  explicit PrivateApt(std::string folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_ + "/state/lists/partial");
    fs::create_directories(folder_ + "/cache/archives/partial");
    fs::create_directories(folder_ + "/parts");
    std::ofstream(folder_ + "/parts/own.sources") << sources();
    std::ofstream(folder_ + "/apt.conf")
        << "Dir::Etc::sourcelist \"/dev/null\";\nDir::Etc::sourceparts \"" << folder_
        << "/parts\";\nDir::State \"" << folder_
        << "/state\";\nDir::State::status \"/var/lib/dpkg/status\";\nDir::Cache \"" << folder_
        << "/cache\";\nAPT::Sandbox::User \"root\";\nAcquire::Retries \"3\";\n";
  }
  std::string run(std::vector<std::string> words) const {
    std::vector<std::string> all = {"env", "APT_CONFIG=" + folder_ + "/apt.conf", "apt-get", "-qq"};
    all.insert(all.end(), words.begin(), words.end());
    return run_program(folder_, all);
  }

 private:
  // The first server that has Debian itself, in whichever of the two forms it is written; without one there
  // is nothing to ask.
  static std::string sources() {
    for (const auto& file : {"/etc/apt/sources.list.d/debian.sources", "/etc/apt/sources.list"})
      for (const auto& line : lines_of(content(file))) {
        const auto at = line.starts_with("URIs: ") ? 6 : line.starts_with("deb http") ? 4 : line.npos;
        if (at == line.npos || line.find("security") != line.npos) continue;
        return entry(line.substr(at, line.find(' ', at) - at));
      }
    return {};
  }
  static std::string entry(const std::string& uri) {
    return "Types: deb-src\nURIs: " + uri +
           "\nSuites: bookworm\nComponents: main\nSigned-By: "
           "/usr/share/keyrings/debian-archive-keyring.gpg\n";
  }

  std::string folder_;
};

// <project>/<element>.tar for each package; empty if all are there, else why not.
std::string bring_archives(const TempProject& project) {
  const auto folder = project.path() + "/.apt";
  const PrivateApt apt(folder);
  try {
    apt.run({"update"});
    std::vector<std::string> words = {"source", "--download-only", "--tar-only"};
    for (const auto& [element, package] : kPackages) words.push_back(package);
    apt.run(words);
  } catch (const std::exception& error) {
    return error.what();
  }
  for (const auto& [element, package] : kPackages) {
    for (const auto& file : fs::directory_iterator(folder)) {
      const auto name = file.path().filename().string();
      if (name.starts_with(package + "_") && name.find(".orig.tar.") != name.npos && !name.ends_with(".asc"))
        fs::rename(file.path(), project.path() + "/" + element + ".tar");
    }
    if (!fs::exists(project.path() + "/" + element + ".tar")) return "no archive of " + package;
  }
  return {};
}

TEST(Releases, of_real_software_are_built_and_used) {
  TempProject project;
  fs::copy(std::string(WEIR_SOURCE_DIR) + "/tests/e2e/releases", project.path(), fs::copy_options::recursive);
  if (const auto missing = bring_archives(project); !missing.empty())
    GTEST_SKIP() << "Debian's source packages cannot be had here: " << missing;

  const auto run = build(project, {"--track"});
  ASSERT_EQ(run.finished.exit, 0) << run.finished.err << weir(project, {"log"}).out;
  EXPECT_EQ(run.built, "expat jansson libpng libxml2 libyaml lua probe zlib");

  const auto out = project.path() + "/out";
  ASSERT_EQ(weir(project, {"checkout", "probe", "--deps", "run", out}).exit, 0);
  EXPECT_EQ(run_program(out, {"env", "LD_LIBRARY_PATH=" + out + "/lib", out + "/bin/probe"}),
            "zlib 1.2.13\nlibpng 1.6.39 works\nexpat_2.5.0\nyaml 0.2.5\nLua 5.4 42\njansson 2.14\nlibxml2 "
            "2.9.14\n");
  // Each found the library of its dependency and not one of this machine.
  const auto needed =
      run_program(out, {"env", "LD_LIBRARY_PATH=" + out + "/lib", "ldd", out + "/lib/libpng16.so.16"});
  EXPECT_NE(needed.find("libz.so.1 => " + out + "/lib/libz.so.1"), std::string::npos) << needed;

  const auto again = build(project, {"--track"});
  EXPECT_EQ(again.finished.exit, 0);
  EXPECT_EQ(again.built, "");
  EXPECT_EQ(again.finished.out.find("\"queue\":\"fetch\",\"attempt\""), std::string::npos)
      << "and nothing is fetched";
}

}  // namespace
}  // namespace weir::test
