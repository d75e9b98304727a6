#include "core/base/result.h"

#include <cerrno>
#include <system_error>

namespace weir {

tl::unexpected<Error> fail_errno(std::string_view doing, int error_number) {
  const auto reason = error_number == ENOSPC || error_number == EDQUOT || error_number == ENOMEM
                          ? Reason::resources
                      : error_number == ENOENT ? Reason::not_found
                                               : Reason::system;
  return fail(reason, std::string(doing) + ": " + std::generic_category().message(error_number));
}

std::string to_text(const Error& error) {
  return error.remedy.empty() ? error.message : error.message + "; " + error.remedy;
}

tl::unexpected<Error> fail_errno(std::string_view doing) { return fail_errno(doing, errno); }

}  // namespace weir
