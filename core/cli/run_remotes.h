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

// Their addresses; tokens come from the environment. A URL that no kind knows is an error with its place.
Result<std::vector<RemoteSetup>> remote_setups(const RemoteContext& context, PushTo push_to);

std::unique_ptr<RemoteLines> make_remote_lines(const RemoteContext& context, std::vector<RemoteSetup> setups,
                                               const Clock& clock,
                                               std::function<void(const RemoteLine::News&)> tell);

// What is wrong if the variable with its token is not set; else empty.
std::string unset_token(const Remote& remote);

// What is said of a remote, for people.
std::string news_text(const RemoteLine::News& news);

}  // namespace weir::cli
