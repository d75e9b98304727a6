// Expected outcomes by value. A Result carries what failed while doing what, and what the user can do about
// it. Bugs are WEIR_ASSERT (assert.h); exceptions come only from libraries below and are caught in main, at
// the top of an arena task and at the plugin border.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace weir {

// What kind of trouble it is. Decides on the exit code, never on the wording.
enum class Reason : unsigned char {
  usage,      // the command line is wrong
  project,    // weir.toml or another file of the user is wrong
  not_found,  // a named thing does not exist
  system,     // a system call failed
  resources,  // memory, disk or tokens are not there
  network,
  cancelled,
  bug,  // weir or a plugin broke its own rules
};

struct Error {
  Reason reason = Reason::system;
  std::string message;  // what failed while doing what, for people
  std::string remedy;   // what to do about it; may be empty
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

inline tl::unexpected<Error> fail(Reason reason, std::string message, std::string remedy = {}) {
  return tl::unexpected<Error>(Error{reason, std::move(message), std::move(remedy)});
}

// Message and remedy in one line.
std::string to_text(const Error& error);

// "opening a.log: No such file or directory", from errno as it is now.
tl::unexpected<Error> fail_errno(std::string_view doing, int error_number);
tl::unexpected<Error> fail_errno(std::string_view doing);

}  // namespace weir
