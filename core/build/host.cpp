#include "core/build/host.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/exec/tool_output.h"
#include "core/store/file_tools.h"

namespace weir {

namespace {

constexpr auto kPatience = std::chrono::seconds(5);

// Where commands in the sandbox find the host's tools.
constexpr const char* kFolders[] = {"/usr/local/bin/", "/usr/bin/", "/bin/"};
constexpr const char* kSystem = "/etc/os-release";

std::string path_of(const std::string& tool) {
  if (tool.find('/') != tool.npos) return {};  // it would lead to any program, such as one of the project
  for (const char* folder : kFolders) {
    const auto path = folder + tool;
    std::error_code error;
    if (::access(path.c_str(), X_OK) == 0) return std::filesystem::canonical(path, error).string();
  }
  return {};
}

std::string stamp_of(const std::string& path) {
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) return {};
  return fmt::format("{}:{}:{}:{}.{}:{}.{}", file.st_dev, file.st_ino, file.st_size, file.st_mtim.tv_sec,
                     file.st_mtim.tv_nsec, file.st_ctim.tv_sec, file.st_ctim.tv_nsec);
}

std::string first_line(std::string text) {
  text = text.substr(0, text.find('\n'));
  for (auto& c : text)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return text;
}

// Some tools (dash) know no --version: then the file itself says which one it is.
std::string ask(const std::string& path) {
  auto said = read_tool_output({path, "--version"}, kPatience);
  if (said && !said->empty()) return first_line(std::move(*said));
  struct stat file;
  if (::stat(path.c_str(), &file) != 0) return "none";
  return fmt::format("{} ({} bytes)", std::filesystem::path(path).filename().string(), file.st_size);
}

std::string value_in(const std::string& file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != '=') continue;
    auto value = line.substr(key.size() + 1);
    std::erase(value, '"');
    return value;
  }
  return {};
}

}  // namespace

Host::Host(std::string cache_directory) : kept_in_(std::move(cache_directory) + "/host-tools") {
  utsname names{};
  ::uname(&names);
  architecture_ = names.machine;
  system_ = fmt::format("{} {}", value_in(kSystem, "ID"), value_in(kSystem, "VERSION_ID"));
  libc_ = ::gnu_get_libc_version();
  load();
}

// One tool per line: path, stamp and version with tabs between.
void Host::load() {
  std::istringstream lines(store::read_small_file(AT_FDCWD, kept_in_.c_str()).value_or(""));
  for (std::string line; std::getline(lines, line);) {
    const auto one = line.find('\t');
    const auto two = one == line.npos ? one : line.find('\t', one + 1);
    if (two == line.npos) continue;
    known_[line.substr(0, one)] = {line.substr(one + 1, two - one - 1), line.substr(two + 1)};
  }
}

const std::string& Host::version_of(const std::string& tool) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto at = asked_.find(tool); at != asked_.end()) return at->second;
  }
  auto version = find_out(tool);
  const std::lock_guard lock(mutex_);
  return asked_.try_emplace(tool, std::move(version))
      .first->second;  // of two that ask at once the first one's stays
}

std::string Host::find_out(const std::string& tool) {
  const auto path = path_of(tool);
  if (path.empty()) return "none";
  const auto stamp = stamp_of(path);
  {
    const std::lock_guard lock(mutex_);
    const auto at = known_.find(path);
    if (at != known_.end() && at->second.stamp == stamp && !at->second.version.empty())
      return at->second.version;
  }
  auto version = ask(path);
  const std::lock_guard lock(mutex_);
  known_[path] = {stamp, version};
  changed_ = true;
  return version;
}

std::vector<std::string> Host::looked_at() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> paths = {kSystem};
  for (const auto& [tool, version] : asked_)
    for (const char* folder : kFolders) paths.push_back(folder + tool);
  return paths;
}

void Host::save() const {
  const std::lock_guard lock(mutex_);
  if (!changed_) return;
  const auto temporary = fmt::format("{}.{}", kept_in_, ::getpid());
  {
    std::ofstream file(temporary);
    for (const auto& [path, known] : known_)
      file << path << '\t' << known.stamp << '\t' << known.version << '\n';
    if (file.flush() && store::remove_unless_regular(AT_FDCWD, kept_in_) &&
        std::rename(temporary.c_str(), kept_in_.c_str()) == 0)
      return;
  }
  ::unlink(temporary.c_str());
}

}  // namespace weir
