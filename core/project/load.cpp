#include "core/project/load.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "core/base/real_path.h"
#include "core/project/link.h"
#include "core/project/lock_file.h"
#include "core/project/read_element.h"
#include "core/project/toml_parse.h"

namespace weir {

namespace {

// Files that a thread takes at a time: enough to make the counter cheap, few enough to end together.
constexpr std::size_t kChunk = 64;

class Loader {
 public:
  Loader(unsigned threads, LoadedProject& out) : threads_(threads), out_(out) {}

  // False: do not go on with the elements.
  bool main_file(FileId file) {
    auto document = parse_toml(out_.files[file].text, file, out_.diagnostics);
    if (!document) {
      complete_ = false;
      // The elements are checked all the same, with what is always there.
      document.emplace(TomlValue{TomlValue::Table{}, Place{file, 1, 1}});
      Diagnostics of_no_use;
      return read_project(*document, out_.project, variables_, of_no_use);
    }
    if (!read_project(*document, out_.project, variables_, out_.diagnostics)) return false;
    if (auto* elements = document->find("element")) inline_elements(elements->value);
    return true;
  }

  // `folder`: nullptr if their texts are there.
  void element_files(const std::vector<ElementFile>& list, FileId first, const ProjectFolder* folder) {
    std::vector<DraftPointer> drafts(list.size());
    std::vector<std::string> outside(list.size());
    std::atomic<std::size_t> next{0};
    const auto work = [&](Diagnostics& diagnostics) {
      for (std::size_t from; (from = next.fetch_add(kChunk)) < list.size();)
        for (auto i = from; i < std::min(from + kChunk, list.size()); ++i)
          drafts[i] = element_file(list[i], FileId{index(first) + static_cast<std::uint32_t>(i)}, folder,
                                   outside[i], diagnostics);
    };
    run_on_threads(list.size(), work);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!outside[i].empty())
        add_outside({list[i].path, outside[i], {FileId{index(first) + static_cast<std::uint32_t>(i)}, 0, 0}},
                    out_);
    for (auto& draft : drafts) {
      if (draft) drafts_.push_back(std::move(draft));
      else complete_ = false;
    }
  }

  void finish() {
    link_elements(std::move(drafts_), complete_, out_.project, out_.diagnostics);
    find_cycles(out_.project, out_.diagnostics);
  }

 private:
  void inline_elements(TomlValue& table) {
    if (table.table() == nullptr) {
      out_.diagnostics.error(table.place, "element must be a table of elements", "write [element.NAME]");
      return;
    }
    for (auto& member : *table.table()) {
      if (!is_element_name(member.key)) {
        out_.diagnostics.error(member.key_place,
                               fmt::format("{} is no name for an element", in_quotes(member.key)),
                               "letters, digits and . _ - + @ are safe");
        continue;
      }
      drafts_.push_back(
          read_element(member.key, member.value, variables_, out_.project.retry, out_.diagnostics));
    }
  }

  DraftPointer element_file(const ElementFile& element, FileId file, const ProjectFolder* folder,
                            std::string& leads_to, Diagnostics& diagnostics) {
    if (folder != nullptr) {
      auto bytes = folder->read(element.path);
      leads_to = std::move(bytes.leads_to);
      if (!bytes.text && leads_to.empty())
        diagnostics.error({file, 0, 0}, bytes.why_not.message, bytes.why_not.remedy);
      if (!bytes.text) return nullptr;
      out_.files[file].text = std::move(*bytes.text);
      out_.files[file].stamp = bytes.stamp;
    }
    auto document = parse_toml(out_.files[file].text, file, diagnostics);
    if (!document) return nullptr;
    return read_element(element.name, *document, variables_, out_.project.retry, diagnostics);
  }

  template <class Work>
  void run_on_threads(std::size_t files, const Work& work) {
    const auto useful = (files + kChunk - 1) / kChunk;
    const auto count = std::min<std::size_t>(
        threads_ ? threads_ : std::max(1u, std::thread::hardware_concurrency()), useful);
    std::vector<Diagnostics> diagnostics(count);
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < count; ++i) {
      try {
        others.emplace_back([&work, &mine = diagnostics[i]] { work(mine); });
      } catch (const std::system_error&) {
        break;  // a limit on threads: those that are there do it all
      }
    }
    if (count > 0) work(diagnostics[0]);
    others.clear();
    for (auto& mine : diagnostics) out_.diagnostics.merge(std::move(mine));
  }

  unsigned threads_;
  LoadedProject& out_;
  Variables variables_;
  std::vector<DraftPointer> drafts_;
  bool complete_ = true;
};

void no_project(const LoadOptions& options, Diagnostics& diagnostics) {
  diagnostics.error({},
                    fmt::format("no weir.toml in {}{}", in_quotes(options.directory),
                                options.search_upwards ? " or in a folder above it" : ""),
                    "`-C DIR` works in another folder");
}

// "sub/.." + "weir.toml" as people write it: without a leading "./".
std::string shown(const std::string& root, const std::string& path) {
  return root == "." ? path : root + "/" + path;
}

std::vector<ElementFile> elements_in(const ProjectFolder& folder, const std::string& root,
                                     LoadedProject& loaded) {
  const auto& elements = loaded.project.elements_folder;
  if (auto leads_to = folder.leads_to(elements); !leads_to.empty()) {
    add_outside({elements, std::move(leads_to), {FileId{0}, 0, 0}}, loaded);
    return {};
  }
  auto list = list_element_files(root, elements, loaded.folders, loaded.diagnostics);
  for (const auto& file : list) loaded.files.add(shown(root, file.path));
  return list;
}

}  // namespace

LoadedProject load_project(LoadOptions options, const std::function<bool(const LoadedProject&)>& allow) {
  std::vector<OutsideFile> allowed;
  for (;;) {
    auto loaded = load_project(options);
    const bool is_all = loaded.outside.empty();
    loaded.outside.insert(loaded.outside.begin(), allowed.begin(), allowed.end());
    if (is_all || !allow(loaded)) return loaded;
    allowed = loaded.outside;
    options.outside.places.clear();
    for (const auto& file : allowed) options.outside.places.push_back(file.leads_to);
  }
}

void add_outside(OutsideFile file, LoadedProject& loaded) {
  loaded.diagnostics.error(
      file.place,
      fmt::format("{} leads out of the project, to {}", in_quotes(file.path), in_quotes(file.leads_to)),
      "`weir trust` shows and allows it; or replace the link by a file");
  loaded.outside.push_back(std::move(file));
}

LoadedProject load_project(const LoadOptions& options) {
  LoadedProject loaded;
  loaded.taken_ns = wall_clock_ns();
  loaded.lock_errors = options.lock_errors;
  const auto root =
      options.search_upwards ? find_project(options.directory) : std::optional(options.directory);
  const ProjectFolder folder(root.value_or(options.directory), options.outside);
  auto file = root ? folder.read("weir.toml") : ProjectFile{};
  if (!root || (!file.text && file.leads_to.empty() && !options.search_upwards)) {
    no_project(options, loaded.diagnostics);
    return loaded;
  }
  const auto main = loaded.files.add(shown(*root, "weir.toml"));
  loaded.project.root = real_path(*root).value_or(*root);
  if (!file.leads_to.empty()) add_outside({"weir.toml", file.leads_to, {main, 0, 0}}, loaded);
  else if (!file.text) loaded.diagnostics.error({main, 0, 0}, file.why_not.message, file.why_not.remedy);
  if (!file.text) return loaded;
  loaded.files[main].text = std::move(*file.text);
  loaded.files[main].stamp = file.stamp;
  Loader loader(options.threads, loaded);
  if (loader.main_file(main)) {
    loader.element_files(elements_in(folder, *root, loaded), FileId{1}, &folder);
    loader.finish();
    apply_lock_file(folder, *root, loaded);
  }
  loaded.diagnostics.sort();
  return loaded;
}

LoadedProject load_project_texts(std::vector<TextFile> files, unsigned threads) {
  LoadedProject loaded;
  loaded.project.root = ".";
  const auto main =
      std::find_if(files.begin(), files.end(), [](const TextFile& f) { return f.path == "weir.toml"; });
  if (main == files.end()) {
    no_project({}, loaded.diagnostics);
    return loaded;
  }
  const auto main_id = loaded.files.add(main->path, std::move(main->text));
  Loader loader(threads, loaded);
  if (loader.main_file(main_id)) {
    const auto folder = loaded.project.elements_folder + "/";
    std::vector<ElementFile> list;
    for (auto& file : files) {
      if (!file.path.starts_with(folder) || !file.path.ends_with(".toml")) continue;
      auto name = file.path.substr(folder.size(), file.path.size() - folder.size() - 5);
      if (!is_element_name(name)) continue;
      list.push_back({std::move(name), file.path});
      loaded.files.add(file.path, std::move(file.text));
    }
    loader.element_files(list, FileId{1}, nullptr);
    loader.finish();
  }
  loaded.diagnostics.sort();
  return loaded;
}

}  // namespace weir
