// Manual pages and completion scripts as files below a prefix, where an installation has them:
//
//   share/man/man1/weir.1, weir-build.1...            share/bash-completion/completions/weir
//   share/zsh/site-functions/_weir                    share/fish/vendor_completions.d/weir.fish
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/cli/command_help.h"

namespace weir::cli {

// Writes over what is there.
Status write_help_files(const CommandHelp& root, const std::string& prefix);

}  // namespace weir::cli
