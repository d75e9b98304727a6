#include "core/project/trust_table.h"

#include <algorithm>
#include <iterator>

namespace weir {

namespace {

using enum KeyEffect;
constexpr auto kOpen = TrustStage::open;
constexpr auto kRun = TrustStage::run;

constexpr KeyRow kTable[] = {
    {"", "weir"},
    {"", "project"},
    {"", "variables"},
    {"", "env"},
    {"", "resources"},
    {"", "pipeline"},
    {"", "queue"},
    {"", "sandbox"},
    {"", "on-error"},
    {"", "retry"},
    {"", "breaker"},
    {"", "remote"},
    {"", "placement"},
    {"", "class"},
    {"", "worker"},
    {"", "plugins"},
    {"", "hooks"},
    {"", "element"},

    {"project", "name"},
    {"project", "default"},
    // Its folder, and each file in it, may be a link.
    {"project", "elements", reads_outside, kOpen, "reads files of the project from outside its folder"},
    {"variables", "*"},
    {"env", "*"},  // of commands in the sandbox; jobs that track and fetch have the user's own
    {"resources", "*"},
    {"pipeline", "queues"},  // queues of plugins: see plugins.path
    {"queue", "*"},
    {"sandbox", "root", runs, kRun, "runs the commands of elements without a sandbox (root = \"none\")"},
    // Programs of /usr/bin are asked for their version; a name is no path.
    {"sandbox", "host-tools"},
    {"sandbox", "uid"},
    // They open parts of the kernel to commands that need capabilities otherwise.
    {"sandbox", "user-namespaces", runs, kRun, "lets the commands of elements create user namespaces"},
    {"on-error", "policy"},
    {"retry", "*"},
    {"breaker", "failures"},
    {"breaker", "cooldown"},
    // Pulling sends nothing but keys, which are hashes. A folder (dir:) is another matter.
    {"remote", "url", reads_outside, kRun, "reads a remote in a folder outside of the project"},
    {"remote", "push", sends, kRun, "pushes what was built to a server"},
    {"remote", "connect-timeout"},
    {"remote", "token-env"},  // refused: only the user's settings name secrets
    {"remote", "ca", reads_outside, kRun, "reads a certificate outside of the project"},
    {"placement", "allocate"},  // kinds of plugins: see plugins.path
    {"placement", "place"},
    {"placement", "pick"},
    {"placement", "loans"},
    {"placement", "cache-timeout"},
    {"placement", "deps-timeout"},
    {"placement", "skip-empty-stages"},
    {"placement", "rebalance-threshold"},
    {"placement", "rebalance-after"},
    {"class", "name"},
    {"class", "load"},
    {"class", "requestor"},
    {"worker", "name"},
    {"worker", "slots"},
    {"plugins", "path", runs, kOpen, "loads a plugin into weir"},
    {"hooks", "on-start", runs, kRun, "runs a command when a job starts"},
    {"hooks", "on-complete", runs, kRun, "runs a command when a job ends"},
    {"hooks", "on-run-end", runs, kRun, "runs a command at the end of each run"},
    // No key, but what a command of a hook names: a file of the project.
    {"hooks.program", "*", runs, kRun, "runs a program in a hook"},

    {"element", "kind"},
    {"element", "description"},
    {"element", "depends"},
    {"element", "build-depends"},
    {"element", "runtime-depends"},
    {"element", "overlaps"},
    {"element", "source"},
    {"element", "config"},
    {"element", "public"},
    {"element", "env"},
    {"element", "variables"},
    {"element", "cpu"},
    {"element", "memory"},
    {"element", "needs"},
    {"element", "exclusive"},
    {"element", "lane"},
    {"element", "group"},
    {"element", "access"},
    {"element", "timeout"},
    {"element", "stall"},
    {"element", "retry"},
    {"element.needs", "*"},

    {"source", "kind"},
    // A path, a file: URL, or a link of the project to elsewhere.
    {"source", "url", reads_outside, kRun, "fetches a source from this machine"},
    {"source", "track"},
    {"source", "ref"},
    {"source", "directory"},
    {"source.local", "path", reads_outside, kOpen, "reads files outside of the project"},
    {"source.local", "exclude"},
    {"source.patch", "path", reads_outside, kOpen, "reads files outside of the project"},
    {"source.patch", "strip"},
    {"source.file", "url", reads_outside, kRun, "as source.url"},
    {"source.file", "name"},
    {"source.file", "executable"},
    {"source.tar", "url", reads_outside, kRun, "as source.url"},
    {"source.tar", "strip"},
    {"source.git", "url", reads_outside, kRun, "as source.url"},
    {"source.git", "track"},
    {"source.git", "submodules"},

    // Commands and arguments of commands, in the sandbox.
    {"config.script", "commands"},
    {"config.script", "test"},
    {"config.make", "build"},
    {"config.make", "build-args"},
    {"config.make", "install"},
    {"config.make", "install-args"},
    {"config.make", "test"},
    {"config.autotools", "configure"},
    {"config.autotools", "configure-args"},
    {"config.autotools", "build"},
    {"config.autotools", "build-args"},
    {"config.autotools", "install"},
    {"config.autotools", "install-args"},
    {"config.autotools", "test"},
    {"config.cmake", "configure"},
    {"config.cmake", "configure-args"},
    {"config.cmake", "build"},
    {"config.cmake", "build-args"},
    {"config.cmake", "install"},
    {"config.cmake", "install-args"},
    {"config.cmake", "test"},
    {"config.meson", "configure"},
    {"config.meson", "configure-args"},
    {"config.meson", "build"},
    {"config.meson", "build-args"},
    {"config.meson", "install"},
    {"config.meson", "install-args"},
    {"config.meson", "test"},
    {"config.import", "from"},
    {"config.import", "to"},

    // weir.lock may be a link, as may weir.toml and each element file: see project.elements.
    {"weir.lock", "weir-lock"},
    {"weir.lock", "source"},
    {"weir.lock.source", "element"},
    {"weir.lock.source", "kind"},
    {"weir.lock.source", "url"},
    {"weir.lock.source", "track"},
    {"weir.lock.source", "ref"},
};

}  // namespace

std::span<const KeyRow> trust_table() { return kTable; }

const KeyRow* find_key(std::string_view section, std::string_view key) {
  const auto* found = std::find_if(std::begin(kTable), std::end(kTable), [&](const KeyRow& row) {
    return row.section == section && (row.key == key || row.key == "*");
  });
  return found == std::end(kTable) ? nullptr : found;
}

}  // namespace weir
