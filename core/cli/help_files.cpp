#include "core/cli/help_files.h"

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "core/cli/completion_scripts.h"
#include "core/cli/man_page.h"

namespace weir::cli {

namespace fs = std::filesystem;

namespace {

Status write_file(const fs::path& path, const std::string& text) {
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) return fail(Reason::system, "making " + path.parent_path().string() + ": " + failed.message());
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  return file ? Status() : fail_errno("writing " + path.string());
}

}  // namespace

Status write_help_files(const CommandHelp& root, const std::string& prefix) {
  const auto share = fs::path(prefix) / "share";
  std::vector<std::pair<fs::path, std::string>> files = {
      {share / "bash-completion/completions/weir", bash_completion(root)},
      {share / "zsh/site-functions/_weir", zsh_completion(root)},
      {share / "fish/vendor_completions.d/weir.fish", fish_completion(root)},
      {share / "man/man1/weir.1", man_page(root, root)},
  };
  for (const auto& command : root.commands)
    files.emplace_back(share / "man/man1" / ("weir-" + command.name() + ".1"), man_page(root, command));
  for (const auto& [path, text] : files)
    if (auto written = write_file(path, text); !written) return written;
  return {};
}

}  // namespace weir::cli
