// The command line of weir-transfer:
//   weir-transfer download [--to-root DIR] --to FILE --parts DIR [--sha256 HEX] [--executable] -- URL
//   weir-transfer unpack [--from-root DIR] --from FILE [--to-root DIR] --to DIR [--strip N]
// An option takes the word after it, whatever that begins with. With a root, the path is relative to it and
// no link leads out of it.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "core/exec/weir_transfer/download.h"
#include "core/exec/weir_transfer/unpack.h"

namespace weir::transfer {

using Order = std::variant<DownloadOrder, UnpackOrder>;
// Errors are of class usage.
Expected<Order> parse_command_line(std::span<const std::string> words);

}  // namespace weir::transfer
