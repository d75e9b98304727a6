// weir sim: the placement of weir on virtual time, from a JSON document to a JSON document.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>

#include "core/base/fd.h"
#include "core/base/print.h"
#include "core/base/replace_file.h"
#include "core/cli/command.h"
#include "core/cli/exit_codes.h"
#include "core/cli/subcommands.h"
#include "core/cli/tell.h"
#include "core/sim/allocate.h"
#include "core/sim/lane.h"
#include "core/sim/place.h"
#include "core/sim/run.h"

namespace weir::cli {

namespace {

using Simulate = Result<std::string> (*)(std::string_view);

struct SimOptions {
  std::string file;
  std::string html;
};

struct Closer {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

Result<std::string> read_document(const std::string& name) {
  const std::unique_ptr<std::FILE, Closer> file(name == "-" ? stdin : std::fopen(name.c_str(), "rb"));
  if (!file && errno == ENOENT) return fail(Reason::not_found, fmt::format("there is no file {}", name));
  if (!file) return fail_errno(fmt::format("opening {}", name));
  std::string out;
  char buffer[1 << 16];
  while (const auto size = std::fread(buffer, 1, sizeof buffer, file.get())) out.append(buffer, size);
  if (std::ferror(file.get())) return fail_errno(fmt::format("reading {}", name));
  return out;
}

int run_simulation(Simulate simulate, const SimOptions& options) {
  const auto document = read_document(options.file);
  if (!document) return tell(document.error());
  const auto out = simulate(*document);
  if (!out) return tell(out.error());
  weir::print("{}\n", *out);
  return kDone;
}

Status write_page(const std::string& name, const std::string& page) {
  return write_output_file(name, [&](int file) -> Status {
    if (!write_all(file, page)) return fail_errno(fmt::format("writing {}", name));
    return {};
  });
}

int run_cluster(const SimOptions& options) {
  const auto document = read_document(options.file);
  if (!document) return tell(document.error());
  const auto out = sim::simulate_run(*document);
  if (!out) return tell(out.error());
  if (!options.html.empty())
    if (const auto written = write_page(options.html, out->html); !written) return tell(written.error());
  weir::print("{}\n", out->json);
  return kDone;
}

// A document is text of its own, so each stands at the left.
constexpr const char* kAllocateDetails =
    R"(A class may list its builds: [{"id": "b1", "running": 2, "waiting": 9}].)";
constexpr const char* kAllocateExample = R"({"workers": 10, "idle": 4, "loans": "plain",
 "rebalance": {"threshold": 50, "min_duration_s": 60, "over_for_s": 120},
 "classes": [{"name": "ci", "load": 70, "running": 2, "waiting": 20},
             {"name": "dev", "load": 30, "running": 4, "waiting": 10}]})";

constexpr const char* kPlaceDetails =
    "Steps: worker_add, worker_remove, schedule, pick, complete, artifact_add, artifact_remove, locate, "
    "advance, where.";
constexpr const char* kPlaceExample = R"({"cache_timeout_ms": 1000, "deps_timeout_ms": 60000,
 "pick": "cache-first", "skip_empty_stages": false,
 "steps": [{"op": "artifact_add", "worker": "w0", "artifact": "lib"},
           {"op": "schedule", "job": "app", "deps": ["lib"]},
           {"op": "where", "job": "app"}, {"op": "pick", "worker": "w0"}]})";

constexpr const char* kLaneExample = R"({"servers": 4,
 "jobs": [{"id": "a", "group": "g1", "access": "read",
           "duration_ms": 5, "at_ms": 0},
          {"id": "b", "group": "g1", "access": "write",
           "duration_ms": 7, "at_ms": 1}]})";

constexpr const char* kRunDetails =
    "\"allocate\" may be none, \"place\" local or global. Also: loans, rebalance, cache_timeout_ms, "
    "deps_timeout_ms, pick, "
    "skip_empty_stages, faults.repair_s, faults.slow_factor. What the figures mean is in docs/placement.md.";
constexpr const char* kRunExample = R"({"workers": 100, "slots": 4, "seed": 1,
 "allocate": "load-based", "place": "cache-aware",
 "classes": [{"name": "ci", "load": 70}, {"name": "dev", "load": 30}],
 "builds": {"count": 20, "jobs_each": 500,
            "shape": "layered", "depth": 20, "fan_in": 3,
            "duration_ms": {"median": 4000, "sigma": 1.0},
            "arrival_s": 5, "share": {"ci": 0.9, "dev": 0.1}},
 "artifact_bytes": {"median": 1000000, "sigma": 1.5},
 "bandwidth_bytes_per_s": 100000000,
 "faults": {"worker_mtbf_s": 86400, "slow_fraction": 0.01}})";

}  // namespace

Run add_sim_command(Command& command, const Globals& globals) {
  const auto options = std::make_shared<SimOptions>();
  Subcommands commands(command, globals);
  const auto add_with = [&](const char* name, const char* what, const char* details, const char* example,
                            Run run) {
    auto& added = commands.add(name, what, std::move(run));
    added.add_word("file", &options->file, "FILE", "the input; - is standard input").required();
    added.explain(details, example);
    return &added;
  };
  const auto add = [&](const char* name, const char* what, const char* details, const char* example,
                       Simulate simulate) {
    add_with(name, what, details, example,
             [options, simulate] { return run_simulation(simulate, *options); });
  };
  add("allocate", "how many jobs of each class start and stop", kAllocateDetails, kAllocateExample,
      sim::simulate_allocate);
  add("place", "which job a worker takes, step by step", kPlaceDetails, kPlaceExample, sim::simulate_place);
  add("lane", "when jobs of one lane start and end", "", kLaneExample, sim::simulate_lane);
  add_with("run", "a whole cluster: builds that arrive, workers that fail", kRunDetails, kRunExample,
           [options] { return run_cluster(*options); })
      ->add_option("--html", &options->html, "FILE", "also write a page with places by class over time");
  command.explain("The input is a JSON document, and so is the output; each command shows one in its help.",
                  "weir sim lane jobs.json\nweir sim run cluster.json --html cluster.html");
  return commands.chosen();
}

}  // namespace weir::cli
