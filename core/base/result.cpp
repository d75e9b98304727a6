#include "core/base/result.h"

#include <cerrno>
#include <system_error>

namespace weir {

namespace {

// Of limits that any call may meet.
std::string remedy_of(int error_number) {
  switch (error_number) {
    case EMFILE:
    case ENFILE: return "raise the limit on open files (`ulimit -n`)";
    case ENOMEM: return "close other programs, or raise the limit on memory (`ulimit -v`)";
    case EFBIG: return "raise the limit on the size of files (`ulimit -f`)";
    default: return {};
  }
}

}  // namespace

tl::unexpected<Error> fail_errno(std::string_view doing, int error_number) {
  const bool lacks_room = error_number == ENOSPC || error_number == EDQUOT || error_number == ENOMEM ||
                          error_number == EMFILE || error_number == ENFILE;
  const auto reason = lacks_room               ? Reason::resources
                      : error_number == ENOENT ? Reason::not_found
                                               : Reason::system;
  return fail(reason, std::string(doing) + ": " + std::generic_category().message(error_number),
              remedy_of(error_number));
}

std::string to_text(const Error& error) {
  return error.remedy.empty() ? error.message : error.message + "; " + error.remedy;
}

tl::unexpected<Error> fail_errno(std::string_view doing) { return fail_errno(doing, errno); }

}  // namespace weir
