// weir init: a project that builds as it is, of what is in a folder or of a template. Overwrites nothing.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "core/base/print.h"
#include "core/base/printable.h"
#include "core/base/shell_word.h"
#include "core/base/utf8.h"
#include "core/build/resolve.h"
#include "core/cli/args.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/init_text.h"
#include "core/cli/run_folder.h"
#include "core/cli/tell.h"
#include "core/cli/toml_text.h"
#include "core/project/load.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

// It is part of the name of a folder, escaped.
constexpr std::size_t kLongestName = 200;

struct InitOptions {
  std::string directory, name, from;
};

std::string name_of_folder(const fs::path& folder) {
  std::error_code ignored;
  const auto full = fs::weakly_canonical(folder, ignored);
  return element_name_of(full.has_filename() ? full.filename().string()
                                             : full.parent_path().filename().string());
}

Status check_project_name(const std::string& name) {
  if (!is_utf8(name))
    return fail(Reason::usage, fmt::format("the name {} is no UTF-8", weir::in_quotes(name)));
  if (name.find("%{") != name.npos)
    return fail(Reason::usage, "the name of a project cannot hold %{", "it would be expanded");
  if (escaped(name).size() > kLongestName) return fail(Reason::usage, "the name is too long");
  return {};
}

// What would be written is read as `weir build` will read it.
bool check_files(const std::vector<NewFile>& files) {
  Kinds kinds;
  auto loaded = load_project_texts({{"weir.toml", files.back().text}});
  load_kinds(loaded.project, kinds, loaded.diagnostics);
  if (loaded.ok())
    if (const auto resolved = resolve_elements(loaded, kinds); !resolved)
      return tell(resolved.error()), false;
  if (!loaded.ok()) tell(loaded.diagnostics, loaded.files);
  return loaded.ok();
}

// They would be part of the project.
Status check_element_files(const std::string& folder) {
  Diagnostics ignored;
  const auto files = list_element_files(folder, "elements", ignored);
  if (files.empty()) return {};
  return fail(Reason::usage,
              fmt::format("{} is in the way; nothing was changed", printable(files.front().path)),
              "files in elements/ would be elements of the project");
}

void say(const fs::path& folder, const std::vector<NewFile>& files,
         const std::vector<FoundElement>& elements) {
  for (const auto& file : files)
    weir::print("wrote {}\n", printable((folder / file.path).lexically_normal().string()));
  for (const auto& element : elements)
    weir::print("  {} of kind {}, for {} in {}\n", printable(element.name), element.kind, element.because,
                printable(element.path));
  const auto where = folder.lexically_normal();
  const auto option = where == "." ? std::string() : "-C " + shell_word(where.string()) + " ";
  weir::print("next: weir {}build\n", printable(option));
}

int init(const InitOptions& options, const Globals& globals) {
  const auto folder = fs::path(globals.directory) / options.directory;
  const auto name = options.name.empty() ? name_of_folder(folder) : options.name;
  if (auto good = check_project_name(name); !good) return tell(good.error());
  if (auto free = check_element_files(folder.string()); !free) return tell(free.error());
  FoundElements found;
  auto files = template_files(options.from, name);
  if (files.empty()) {
    found = find_elements(folder.string(), element_name_of(name));
    files = {project_of(name, found.elements)};
  }
  if (!check_files(files)) return kBug;
  if (auto written = write_new_files(folder.string(), files); !written) return tell(written.error());
  for (const auto& left_out : found.left_out)
    weir::print(stderr, "weir: the folder {} is left out: its name is no UTF-8\n", weir::in_quotes(left_out));
  if (options.from.empty() && found.elements.empty() && !globals.quiet)
    weir::print("nothing here that weir knows how to build: this is an example to begin with\n");
  if (!globals.quiet) say(folder, files, found.elements);
  return kDone;
}

}  // namespace

Run add_init_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<InitOptions>();
  command.add_word("directory", &options->directory, "DIR", "where; made if it is not there");
  command
      .add_option("--template", &options->from, "NAME",
                  "what to begin with; without one, what is in the folder decides")
      .one_of(template_names());
  command.add_option("--name", &options->name, "NAME", "of the project; else that of the folder");
  command.explain("Writes a weir.toml that builds as it is, and overwrites nothing.",
                  "weir init\nweir init hello --template c");
  return [options, &globals] { return init(*options, globals); };
}

}  // namespace weir::cli
