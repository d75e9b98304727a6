#include "core/cli/general_help.h"

namespace weir::cli {

namespace {

constexpr Explained kExitCodes[] = {
    {"0", "done"},
    {"1", "a job failed, or a check found something wrong"},
    {"2", "the command line or a file of the project is wrong; nothing was run"},
    {"3", "weir build --check: there is something to build"},
    {"4", "something around it failed: network, disk, a remote"},
    {"5", "memory or time did not suffice for a job"},
    {"70", "a bug in weir"},
    {"130", "interrupted"},
    {"143", "terminated"},
};

constexpr Explained kVariables[] = {
    {"WEIR_CACHE_DIR", "where the store and the runs of projects are: the setting cache.dir"},
    {"WEIR_CACHE_QUOTA", "how large the store may become: cache.quota, for example 20G"},
    {"WEIR_CACHE_SHARED", "yes: trust the other users who can write to the cache; cache.shared"},
    {"WEIR_JOBS_MAX", "how many cores all jobs together may use: resources.process"},
    {"WEIR_REMOTE", "the one remote to use; none or empty: no remote"},
    {"WEIR_ON_ERROR", "quit, continue or terminate: on-error"},
    {"WEIR_SANDBOX", "host, staged or none: sandbox"},
    {"WEIR_REQUESTOR", "who asks for a run: requestor"},
    {"WEIR_COLOR", "auto, always or never: ui.color"},
    {"WEIR_UI", "auto, terminal or plain: ui.mode"},
    {"WEIR_PLUGIN_PATH", "folders and files to look for plugins in, with a colon between two"},
    {"WEIR_TRUST", "1: trust every project, for CI; 0: trust only what weir trust allowed"},
    {"WEIR_LOG", "trace, debug, info, warn, error or off: what weir itself does, for people who work on it"},
    {"NO_COLOR", "if it is set, no colors unless a setting asks for them"},
};

constexpr Explained kFiles[] = {
    {"weir.toml", "the project; it is looked for in the folder and then upwards"},
    {"elements/*.toml", "its elements, one in each file; the name is the path without .toml"},
    {"weir.lock", "the refs of sources, as weir track found them"},
    {"$XDG_CONFIG_HOME/weir/config.toml",
     "settings and credentials of a person; ~/.config if the variable is not set"},
    {"$XDG_STATE_HOME/weir/trust", "what weir trust allowed; ~/.local/state if the variable is not set"},
};

}  // namespace

std::span<const Explained> exit_codes() { return kExitCodes; }
std::span<const Explained> environment_variables() { return kVariables; }
std::span<const Explained> important_files() { return kFiles; }

}  // namespace weir::cli
