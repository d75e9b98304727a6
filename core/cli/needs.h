// What the jobs of a project take: its tokens from settings and machine, and a request per element. A run
// that takes in more elements adds theirs while it goes on.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/build/learnt_memory.h"
#include "core/build/resolve_queues.h"
#include "core/project/project.h"
#include "core/project/settings.h"
#include "core/project/targets.h"
#include "queues/needs.h"
#include "resources/lanes.h"
#include "resources/ledger.h"
#include "resources/probe.h"

namespace weir::cli {

using QueueNeeds = std::map<std::string, NeedsTable, std::less<>>;  // of queues of plugins, by name

// The lanes of jobs that bring sources: names of the mirrors that an element uses.
using MirrorsOf = std::function<std::vector<std::string>(ElementId)>;

// What a queue of a plugin needs for an element; nothing: its cores.
using TokensOf =
    std::function<Result<std::optional<std::vector<TokenCount>>>(const ResolvedQueue&, ElementId)>;
struct QueuesToServe {
  const std::vector<ResolvedQueue>& queues;
  TokensOf tokens;
};

class ProjectNeeds {
 public:
  struct Parts {
    const Project& project;
    const ProjectGraph& graph;
    Ledger& ledger;
    Lanes& lanes;
    MirrorsOf mirrors;
    QueuesToServe plugin_queues;
    MemoryPeaks peaks = {};  // of earlier runs
  };
  // Fills the ledger with tokens; no element has needs yet.
  static Result<ProjectNeeds> make(Parts parts, const Settings& settings, const Machine& machine);

  // What queues of plugins say that they need for some elements.
  struct Asked {
    std::vector<ElementId> elements;
    std::vector<std::vector<std::optional<std::vector<TokenCount>>>>
        tokens;  // by queue, then as the elements
  };
  // Asks plugins. Any thread.
  Result<Asked> ask(std::span<const ElementId> elements) const;
  // Thread: the loop's. An element that asks for more than there is, or for a token that nobody declared, is
  // an error that names it, and then nothing was added of any.
  Status add(const Asked& asked);

  // Copies see what is added later.
  const NeedsTable& download() const { return download_; }
  const NeedsTable& build() const { return build_; }
  const NeedsTable& upload() const { return upload_; }
  const NeedsTable& pull() const { return pull_; }
  const QueueNeeds& plugin_queues() const { return plugin_queues_; }

 private:
  using Tokens = std::vector<TokenNeed>;
  ProjectNeeds(Parts parts, const JobNeeds& download, const JobNeeds& process, const JobNeeds& upload,
               const JobNeeds& pull);
  Result<Tokens> build_tokens(ElementId id) const;
  std::int64_t memory_of(ElementId id) const;
  Result<Tokens> queue_tokens(const ResolvedQueue& queue, const Element& element,
                              const std::optional<std::vector<TokenCount>>& told) const;
  TokenNeed cores_of(const Element& element) const;
  Result<Tokens> fitting(const Element& element, Result<Tokens> tokens) const;
  void set_build(ElementId id, const Tokens& tokens);
  void set_download(ElementId id);

  Parts parts_;
  LearntMemory learnt_;
  NeedsTable download_;
  NeedsTable build_;
  NeedsTable upload_;
  NeedsTable pull_;
  QueueNeeds plugin_queues_;
};

}  // namespace weir::cli
