#include "core/exec/weir_transfer/trouble.h"

#include <errno.h>
#include <fmt/format.h>
#include <string.h>

#include "core/base/utf8.h"

namespace weir::transfer {

tl::unexpected<Trouble> system_trouble(std::string_view doing, std::string_view path) {
  const int error = errno;
  auto message = fmt::format("{} '{}': {}", doing, shown(path), ::strerrordesc_np(error));
  if (error == ENOSPC || error == EDQUOT)
    message += "; make room on that disk, for example with `weir cache gc`";
  return trouble(TransferExit::infra, std::move(message));
}

std::string shown(std::string_view bytes) {
  constexpr std::size_t kLongest = 200;
  std::string text;
  while (!bytes.empty()) {
    if (text.size() > kLongest) return text + "...";
    const auto length = utf8_sequence_length(bytes);
    const auto first = static_cast<unsigned char>(bytes.front());
    if (length > 1 || (length == 1 && first >= 0x20 && first != 0x7f)) text += bytes.substr(0, length);
    else text += fmt::format("\\x{:02x}", first);
    bytes.remove_prefix(length > 1 ? length : 1);
  }
  return text;
}

}  // namespace weir::transfer
