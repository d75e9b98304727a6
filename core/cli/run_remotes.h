// The remotes that settings name, as a run uses them.
#pragma once

#include <functional>
#include <memory>

#include "core/project/settings.h"
#include "core/remote/remote_lines.h"
#include "plugins/host/kinds.h"

namespace weir::cli {

enum class PushTo : std::uint8_t {
  those_that_ask,  // push = true or "required"
  all_or_fail,  // what `weir push` does: to those that ask, or to the one that was named on the command line
};

struct RemoteContext {
  const Settings& settings;
  const Project& project;
  const SourceFiles& files;  // of the project
  Kinds& kinds;
};

// Their addresses, with the secrets that the user has for them (core/project/credentials.h). A URL that no
// kind knows and a secret that cannot be read are errors with their places.
Result<std::vector<RemoteSetup>> remote_setups(const RemoteContext& context, PushTo push_to);

std::unique_ptr<RemoteLines> make_remote_lines(const RemoteContext& context, std::vector<RemoteSetup> setups,
                                               const Clock& clock,
                                               std::function<void(const RemoteLine::News&)> tell);

// Of each remote whose host has a credential, but gets none: why, and what to do about it.
std::vector<Error> withheld_tokens(const RemoteContext& context);

// What is said of a remote, for people.
std::string news_text(const RemoteLine::News& news);

}  // namespace weir::cli
