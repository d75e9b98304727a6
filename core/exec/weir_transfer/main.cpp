// weir-transfer: the steps `download` and `unpack` of a job, as a process of their own. So a wait for the
// network blocks nothing in weir, and what ends, suspends or limits a process does so here too. Exit codes:
// core/exec/transfer_exit.h.
#include <curl/curl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>

#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "core/exec/weir_transfer/command_line.h"

namespace weir::transfer {
namespace {

Done carry_out(const DownloadOrder& order) {
  if (::curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    return trouble(TransferExit::infra, "libcurl does not start");
  return download(order);
}
Done carry_out(const UnpackOrder& order) { return unpack(order); }

int run(const std::vector<std::string>& words) {
  // Modes are what this program says (0644, 0755): what comes out must not depend on who runs it.
  ::umask(022);
  // A limit of the size of files is an error like a full disk, not a signal.
  ::signal(SIGXFSZ, SIG_IGN);
  const auto order = parse_command_line(words);
  const auto done = order ? std::visit([](const auto& chosen) { return carry_out(chosen); }, *order)
                          : Done(tl::unexpected(order.error()));
  if (done) return static_cast<int>(TransferExit::done);
  std::fflush(stdout);
  fmt::print(stderr, "weir-transfer: {}\n", done.error().message);
  return static_cast<int>(done.error().exit);
}

}  // namespace
}  // namespace weir::transfer

int main(int argc, char** argv) {
  using namespace weir;
  try {
    return transfer::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {  // from a library: memory
    fmt::print(stderr, "weir-transfer: {}\n", error.what());
    return static_cast<int>(TransferExit::infra);
  }
}
