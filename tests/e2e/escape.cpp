#include "tests/e2e/escape.h"

#include "tests/e2e/run_facts.h"

namespace weir::test::escape {
namespace {

constexpr const char* kPrograms[] = {
    "bash", "cat",   "chmod", "chown",  "chroot", "cp",      "dd",      "env",      "find",
    "grep", "head",  "id",    "ln",     "ls",     "mkdir",   "mkfifo",  "mknod",    "mount",
    "mv",   "nohup", "nice",  "perl",   "rm",     "setsid",  "sh",      "sleep",    "stat",
    "tail", "touch", "true",  "umount", "uname",  "nsenter", "unshare", "truncate", "pivot_root"};

void copy_to(const fs::path& root, const fs::path& file) {
  const auto to = root / file.relative_path();
  if (fs::exists(to)) return;
  fs::create_directories(to.parent_path());
  fs::copy_file(file, to);
}

// "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x..)", "/lib64/ld-linux-x86-64.so.2 (0x..)"
void copy_libraries(const fs::path& root, const std::string& file) {
  for (const auto& line : lines_of(run_program("/", {"ldd", file}))) {
    const auto from = line.find('/');
    if (from == line.npos) continue;
    copy_to(root, line.substr(from, line.find(" (", from) - from));
  }
}

std::string path_of(const std::string& program) {
  for (const auto* folder : {"/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"})
    if (fs::exists(folder + program)) return folder + program;
  throw std::runtime_error("this machine has no " + program);
}

// With the modules that attempts use, and their libraries.
void copy_perl(const fs::path& root) {
  const auto files =
      run_program("/", {"perl", "-MSocket", "-MPOSIX", "-MFcntl", "-e",
                        "require XSLoader; require warnings::register; print map { \"$_\\n\" } values %INC, "
                        "@DynaLoader::dl_shared_objects"});
  for (const auto& file : lines_of(files)) {
    copy_to(root, file);
    if (file.ends_with(".so")) copy_libraries(root, file);
  }
}

fs::path make_root(const fs::path& root) {
  for (const std::string name : kPrograms) {
    const auto program = path_of(name);
    fs::create_directories(root / "bin");
    fs::copy_file(fs::canonical(program), root / "bin" / name);
    copy_libraries(root, program);
  }
  copy_perl(root);
  fs::create_directories(root / "usr");
  fs::create_symlink("../bin", root / "usr/bin");
  return root;
}

}  // namespace

void copy_programs(const fs::path& root) {
  static const TempProject kept;
  static const auto made = make_root(fs::path(kept.path()) / "root");
  fs::copy(made, root, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

}  // namespace weir::test::escape
