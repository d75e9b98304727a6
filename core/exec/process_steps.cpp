#include "core/exec/process_steps.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>

#include "core/exec/logical_path.h"
#include "core/exec/plain_command.h"
#include "core/exec/transfer_exit.h"

namespace weir {
namespace {

constexpr int code(TransferExit exit) { return static_cast<int>(exit); }

constexpr std::array<ExitMeaning, 4> kTransferMeanings{{{code(TransferExit::network), Failure::network},
                                                        {code(TransferExit::source), Failure::source},
                                                        {code(TransferExit::infra), Failure::infra},
                                                        {code(TransferExit::usage), Failure::infra}}};

tl::unexpected<Error> no_directory(std::string_view path) {
  return fail(Reason::project, fmt::format("the job has no directory for '{}'", path));
}

Result<InitStep> plan_run(const RunStep& step, const ProcessStepContext& context) {
  if (step.argv.empty()) return fail(Reason::project, "a run step has no command");
  const auto path = split_logical_path(step.directory);
  if (!path) return tl::unexpected(path.error());
  auto real = context.root(path->root);
  if (real.empty() || (context.sandboxed && path->root == "project")) return no_directory(step.directory);
  if (context.sandboxed) real = fmt::format("/{}", path->root);
  if (!path->rest.empty()) real.append("/").append(path->rest);
  return InitStep{step.argv, std::move(real), plain_words(step.argv).value_or(std::vector<std::string>())};
}

// "--to-root DIR --to REST": weir-transfer resolves beneath the root when it runs, since an earlier step of
// the row may leave links there.
Status append_place(std::vector<std::string>& argv, std::string_view option, const LogicalPath& path,
                    const ProcessStepContext& context) {
  const auto split = split_logical_path(path);
  if (!split) return tl::unexpected(split.error());
  auto root = context.root(split->root);
  if (root.empty()) return no_directory(path);
  argv.insert(argv.end(), {fmt::format("{}-root", option), std::move(root), std::string(option),
                           std::string(split->rest.empty() ? "." : split->rest)});
  return {};
}

Result<InitStep> begin_transfer(std::string_view verb, const ProcessStepContext& context) {
  if (context.sandboxed)
    return fail(
        Reason::bug,
        fmt::format("a step of kind '{}' cannot run in a sandbox: it needs the network and the cache", verb));
  if (::access(context.transfer.c_str(), X_OK) != 0)
    return fail(Reason::not_found, "weir-transfer is not beside the weir program",
                "install the package weir-transfer, or run `cmake/build-all` in the source tree of weir");
  auto directory = context.root("source");
  if (directory.empty()) directory = context.root("build");
  if (directory.empty()) directory = "/";  // all its paths are absolute
  return InitStep{{context.transfer, std::string(verb)}, std::move(directory)};
}

Result<InitStep> plan_download(const DownloadStep& step, const ProcessStepContext& context) {
  auto plan = begin_transfer("download", context);
  if (!plan) return plan;
  auto& argv = plan->argv;
  if (auto status = append_place(argv, "--to", step.to, context); !status)
    return tl::unexpected(status.error());
  const auto cache = context.root("cache");
  if (cache.empty()) return no_directory("cache/downloads");
  argv.insert(argv.end(), {"--parts", cache + "/downloads"});
  if (!step.sha256.empty()) argv.insert(argv.end(), {"--sha256", step.sha256});
  if (step.executable) argv.emplace_back("--executable");
  argv.insert(argv.end(), {"--", step.url});
  return plan;
}

Result<InitStep> plan_unpack(const UnpackStep& step, const ProcessStepContext& context) {
  auto plan = begin_transfer("unpack", context);
  if (!plan) return plan;
  if (auto status = append_place(plan->argv, "--from", step.from, context); !status)
    return tl::unexpected(status.error());
  if (auto status = append_place(plan->argv, "--to", step.to, context); !status)
    return tl::unexpected(status.error());
  plan->argv.insert(plan->argv.end(), {"--strip", std::to_string(step.strip)});
  return plan;
}

}  // namespace

bool is_process_step(const Step& step) {
  return std::holds_alternative<RunStep>(step) || std::holds_alternative<DownloadStep>(step) ||
         std::holds_alternative<UnpackStep>(step);
}

Result<InitStep> plan_process_step(const Step& step, const ProcessStepContext& context) {
  if (const auto* run = std::get_if<RunStep>(&step)) return plan_run(*run, context);
  if (const auto* download = std::get_if<DownloadStep>(&step)) return plan_download(*download, context);
  return plan_unpack(std::get<UnpackStep>(step), context);
}

std::span<const ExitMeaning> meanings_of(const Step& step) {
  const auto* run = std::get_if<RunStep>(&step);
  return run ? std::span<const ExitMeaning>(run->meanings) : kTransferMeanings;
}

std::string_view program_of(const Step& step) {
  const auto* run = std::get_if<RunStep>(&step);
  return run ? std::string_view(run->argv.front()) : "weir-transfer";
}

std::string_view directory_of(const Step& step) {
  const auto* run = std::get_if<RunStep>(&step);
  return run ? std::string_view(run->directory) : "source";
}

}  // namespace weir
