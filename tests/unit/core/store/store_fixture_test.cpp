// The fixture's functions; they are compiled once, with the tests.
#include "tests/unit/core/store/store_fixture.h"

#include "core/store/file_tools.h"

namespace weir::store::test {

Status TemporaryDirectory::remove_tree_of(int directory, const std::string& name) {
  return remove_tree(directory, name);
}

namespace {

const std::string& random_name_of(Random& random, int number) {
  static const char* const kOdd[] = {"plain",
                                     "with space",
                                     "new\nline",
                                     "\xc3\xa4\xc3\xb6",
                                     "\xe6\x97\xa5\xe6\x9c\xac",
                                     "-dash",
                                     "\xff\xfe",
                                     "quote'\"",
                                     "back\\slash",
                                     "...",
                                     ".hidden",
                                     "a*b?",
                                     "\x01\x7f.c",
                                     "~"};
  thread_local std::string name;
  name = kOdd[random.below(std::size(kOdd))] + std::to_string(number);
  return name;
}

std::string random_bytes(Random& random) {
  std::string bytes(random.chance(0.2) ? 0 : random.below(3000), '\0');
  for (auto& c : bytes) c = static_cast<char>(random.next());
  return bytes;
}

}  // namespace

void make_random_tree(const fs::path& root, Random& random, int entries) {
  static const char* const kTargets[] = {"/etc/passwd", "..", "../../../x", "nowhere", ".", "/", "a/b/c"};
  fs::create_directories(root);
  std::vector<fs::path> directories{root};
  for (int i = 0; i < entries; ++i) {
    const auto path = directories[random.below(directories.size())] / random_name_of(random, i);
    switch (random.below(6)) {
      case 0:
        fs::create_directory(path);
        directories.push_back(path);
        break;
      case 1: fs::create_symlink(kTargets[random.below(std::size(kTargets))], path); break;
      default: write_file(path, random_bytes(random), random.chance(0.3));
    }
  }
}

}  // namespace weir::store::test
