// Why a transfer failed: the class of the failure is the exit code of the program, the message its last line.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>

#include "core/exec/transfer_exit.h"

namespace weir::transfer {

struct Trouble {
  TransferExit exit = TransferExit::infra;
  std::string message;
};

template <class T>
using Expected = tl::expected<T, Trouble>;
using Done = Expected<void>;

inline tl::unexpected<Trouble> trouble(TransferExit exit, std::string message) {
  return tl::unexpected<Trouble>(Trouble{exit, std::move(message)});
}
// "writing 'x': ..." from errno, of class infra; a full disk gets its remedy.
tl::unexpected<Trouble> system_trouble(std::string_view doing, std::string_view path);

// What others chose (names, addresses) as text for one line of a message: control characters and bytes that
// are no UTF-8 are escaped, and what is too long is cut.
std::string shown(std::string_view bytes);

}  // namespace weir::transfer
