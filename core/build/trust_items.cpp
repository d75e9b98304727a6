#include "core/build/trust_items.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>
#include <unordered_map>

#include "core/base/fd.h"
#include "core/base/printable.h"
#include "core/base/real_path.h"
#include "core/base/text.h"
#include "core/build/source_url.h"
#include "core/store/digest.h"

namespace weir {

namespace fs = std::filesystem;

namespace {

// Where paths of the project really are. A folder is looked at once: one lstat for each source.
class RealPlaces {
 public:
  explicit RealPlaces(std::string root) : root_(std::move(root)) {}

  // Where a path is, if that is outside of the project; empty if it is inside. Parts that are not there lead
  // nowhere else.
  std::string outside(const std::string& path) {
    auto plain = (fs::path(root_) / path).lexically_normal().string();
    if (is_inside(plain, "/proc")) return plain;  // "self" is somebody else in each process
    auto real = of(plain);
    return is_inside(real, root_) ? std::string() : real;
  }
  // As people write it: relative where it is inside.
  std::string shown(const std::string& path) const {
    return is_inside(path, root_) && path.size() > root_.size() ? path.substr(root_.size() + 1) : path;
  }

 private:
  // Of an absolute path without "." and "..".
  std::string of(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (path == root_ || path == "/") return path;
    const auto slash = path.rfind('/');
    const auto parent = folder(slash == 0 ? "/" : path.substr(0, slash));
    auto here = (parent == "/" ? "" : parent) + path.substr(slash);
    struct stat about {};
    if (::lstat(here.c_str(), &about) != 0 || !S_ISLNK(about.st_mode)) return here;
    return path_behind_links(here).value_or(here);
  }
  const std::string& folder(std::string path) {
    const auto known = folders_.find(path);
    if (known != folders_.end()) return known->second;
    auto real = of(path);
    return folders_.emplace(std::move(path), std::move(real)).first->second;
  }

  std::string root_;
  std::unordered_map<std::string, std::string> folders_;
};

std::string lower(std::string text) {
  for (auto& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

std::string without_percent(std::string_view text) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool coded =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    plain += coded ? static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2])) : text[i];
    if (coded) i += 2;
  }
  return plain;
}

bool is_file_url(const std::string& url) { return lower(url.substr(0, 5)) == "file:"; }

// The paths that programs may make of an absolute URL: git and curl read percent signs differently.
std::vector<std::string> paths_of_url(const std::string& url) {
  if (url.starts_with('/')) return {url};
  if (!is_file_url(url)) return {};
  auto path = url.substr(5);
  if (path.starts_with("//")) path = path.substr(std::min(path.find('/', 2), path.size()));
  if (!path.starts_with('/')) path.insert(0, "/");
  return {path, without_percent(path)};
}

// "dir:cache" and "any:///srv/cache" are folders of this machine; with a host the URL is a server's.
std::string folder_of_remote(const std::string& url) {
  const auto colon = url.find(':');
  if (colon == url.npos) return {};
  auto rest = url.substr(colon + 1);
  if (!rest.starts_with("//")) return rest;
  return rest.starts_with("///") || url.starts_with("dir:") ? rest.substr(2) : std::string();
}

// A library, or one version of it. Those that no kind is named after are loaded by those that are.
bool is_library(std::string_view name) { return name.ends_with(".so") || name.find(".so.") != name.npos; }

std::vector<std::string> libraries_in(const std::string& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> dir(::opendir(folder.c_str()), ::closedir);
  while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr)
    if (is_library(entry->d_name)) names.emplace_back(entry->d_name);
  std::sort(names.begin(), names.end());
  return names;
}

// What may name a program in a command of a shell: all between the characters that end a word, but for files
// that it writes to ("> notes.log").
std::vector<std::string> words_in(std::string_view command) {
  constexpr std::string_view kEnds = " \t\r\n\"'`;|&()<>{}$=";
  std::vector<std::string> words;
  bool is_written = false;
  while (!command.empty()) {
    const auto end = std::min(command.find_first_of(kEnds), command.size());
    if (end > 0 && !is_written) words.emplace_back(command.substr(0, end));
    if (end > 0) is_written = false;
    if (end < command.size() && command[end] == '>') is_written = true;
    command.remove_prefix(std::min(end + 1, command.size()));
  }
  return words;
}

class Finder {
 public:
  Finder(const LoadedProject& loaded, const Settings& settings, LookOutside look)
      : loaded_(loaded), project_(loaded.project), settings_(settings), look_(look), places_(project_.root) {}

  TrustItems run() {
    for (const auto& file : loaded_.outside)
      add("project.elements", file.path + " -> " + file.leads_to, file.place);
    for (const auto& place : project_.plugin_path) plugins(place);
    add_hooks();
    const bool own_sandbox = settings_.sandbox.origin.layer == Origin::Layer::project;
    if (own_sandbox && settings_.sandbox.value == SandboxRoot::none)
      add("sandbox.root", "none", project_.sandbox.root_place);
    if (project_.sandbox.user_namespaces)
      add("sandbox.user-namespaces", "true", project_.sandbox.user_namespaces_place);
    for (const auto& remote : settings_.remotes.value) add_remote(remote);
    for (const auto& element : project_.elements)
      for (const auto& source : element.sources) add_source(source);
    return std::move(items_);
  }

  TrustItems run_for_hooks() {
    add_hooks();
    return std::move(items_);
  }

 private:
  void add_hooks() {
    for (const auto& [key, hooks] : {std::pair{"hooks.on-start", &project_.hooks.on_start},
                                     std::pair{"hooks.on-complete", &project_.hooks.on_complete},
                                     std::pair{"hooks.on-run-end", &project_.hooks.on_run_end}})
      for (const auto& hook : *hooks) add_hook(key, hook);
  }
  TrustItem* add(std::string key, std::string subject, Place place) {
    if (!seen_.emplace(key, subject).second) return nullptr;
    const auto dot = key.rfind('.');
    const auto* row = find_key(key.substr(0, dot), key.substr(dot + 1));
    items_.push_back({std::move(key), std::move(subject), {}, {}, row->stage, place, {}});
    return &items_.back();
  }
  void add_file(const char* key, const std::string& file, Place place) {
    if (auto* item = add(key, places_.shown(file), place)) item->file = file;
  }

  void plugins(const PlacedText& path) {
    const auto all = plugin_path({path.text}, project_.root);
    const auto& place = all.front();
    if (place.origin != PluginPlace::Origin::project) return;
    if (place.is_file()) {
      if (::faccessat(AT_FDCWD, place.path.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0)
        add_file("plugins.path", place.path, path.place);
      return;
    }
    if (const auto outside = places_.outside(path.text); !outside.empty()) {
      add("plugins.path", place.path + "/", path.place);
      if (look_ == LookOutside::no) return;
    }
    for (const auto& name : libraries_in(place.path))
      add_file("plugins.path", place.path + "/" + name, path.place);
  }

  // The command, which runs in the project's folder, and its programs as far as they are of the project:
  // those may change.
  void add_hook(const char* key, const PlacedText& hook) {
    add(key, hook.text, hook.place);
    for (const auto& word : words_in(hook.text)) {
      const auto path = (fs::path(project_.root) / word).lexically_normal().string();
      struct stat about {};
      if (is_inside(path, project_.root) && ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode))
        add_file("hooks.program.file", path, hook.place);
    }
  }

  // Of the project: chosen by it, or so said of one that the user has chosen.
  void add_remote(const Remote& remote) {
    const auto layer = settings_.remotes.origin.layer;
    const bool chosen = layer == Origin::Layer::project;
    const bool named = (layer == Origin::Layer::environment || layer == Origin::Layer::command_line) &&
                       std::any_of(project_.remotes.begin(), project_.remotes.end(), [&](const Remote& one) {
                         return one.url == remote.url && one.ca == remote.ca;
                       });
    if (!chosen && !named) return;
    if (chosen && remote.push != Push::no)
      if (auto& content = about("remote.push", without_passwords(remote.url), remote).content;
          !remote.ca.empty())
        content += (content.empty() ? "ca " : ", ca ") + remote.ca;
    if (const auto folder = folder_of_remote(remote.url); chosen && !folder.empty())
      if (const auto outside = places_.outside(folder); !outside.empty())
        about("remote.url", outside, remote);
    if (!remote.ca.empty())
      if (const auto outside = places_.outside(remote.ca); !outside.empty())
        about("remote.ca", outside, remote);
  }
  // Two remotes may lead to one place.
  TrustItem& about(const char* key, const std::string& subject, const Remote& remote) {
    auto* item = add(key, subject, remote.place);
    if (item == nullptr)
      item = &*std::find_if(items_.begin(), items_.end(),
                            [&](const TrustItem& one) { return one.key == key && one.subject == subject; });
    item->remotes.push_back(remote.url);
    return *item;
  }

  void add_source(const Source& source) {
    if (const auto* path = source.config.find("path"); path && path->value.text())
      if (auto outside = places_.outside(*path->value.text()); !outside.empty())
        add("source.local.path", std::move(outside), source.place);
    if (source.url.empty()) return;
    const auto paths = paths_of_url(absolute_url(source.url, project_.root));
    bool is_outside = false;
    for (const auto& path : paths)
      if (auto outside = places_.outside(path); !outside.empty()) {
        add("source.url", std::move(outside), source.place);
        is_outside = true;
      }
    // Programs disagree on what a file: URL names. And a git repository may name others: by alternates, a
    // .git file, links, and submodules.
    const bool is_for_others = is_file_url(source.url) || source.kind.text == "git";
    if (!paths.empty() && !is_outside && is_for_others) add("source.url", source.url, source.place);
  }

  const LoadedProject& loaded_;
  const Project& project_;
  const Settings& settings_;
  LookOutside look_;
  RealPlaces places_;
  TrustItems items_;
  std::set<std::pair<std::string, std::string>> seen_;
};

}  // namespace

TrustItems trust_items(const LoadedProject& loaded, const Settings& settings, LookOutside look) {
  return Finder(loaded, settings, look).run();
}

TrustItems trust_items_of_hooks(const LoadedProject& loaded, const Settings& settings) {
  return Finder(loaded, settings, LookOutside::no).run_for_hooks();
}

TrustItems trust_items_of_kinds(const LoadedProject& loaded, std::span<const ResolvedElement> resolved) {
  TrustItems items;
  RealPlaces places(loaded.project.root);
  for (std::size_t i = 0; i < resolved.size(); ++i)
    for (std::size_t k = 0; k < resolved[i].sources.size(); ++k) {
      const auto& content = resolved[i].sources[k].facts.content;
      const auto& source = loaded.project.elements[i].sources[k];
      const auto* path = source.config.find("path");
      if (!content || (path && path->value.text() && *path->value.text() == content->path)) continue;
      if (auto outside = places.outside(content->path); !outside.empty())
        items.push_back(
            {"source.local.path", std::move(outside), {}, {}, TrustStage::open, source.place, {}});
    }
  return items;
}

Result<std::string> content_of_file(const std::string& file) {
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat about {};
  if (!fd || ::fstat(fd.get(), &about) != 0) return fail_errno("reading " + file);
  if (!S_ISREG(about.st_mode)) return fail(Reason::project, file + " is no file");
  store::Hasher hasher;
  std::string chunk(1 << 16, '\0');
  for (;;) {
    const auto got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno("reading " + file);
    if (got == 0) return hasher.finish().hex();
    hasher.update(std::string_view(chunk.data(), static_cast<std::size_t>(got)));
  }
}

std::string trust_text(const std::string& key, const std::string& subject) {
  const auto dot = key.rfind('.');
  const auto* row = find_key(key.substr(0, dot), key.substr(dot + 1));
  const auto what = row ? row->what : std::string_view(key);
  return key.starts_with("sandbox.") ? std::string(what) : fmt::format("{}: {}", what, printable(subject));
}

std::string to_text(const TrustItem& item) { return trust_text(item.key, item.subject); }

}  // namespace weir
