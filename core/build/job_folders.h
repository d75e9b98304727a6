// The files of a job, for the local executor: its inputs come out of the store, its outputs go into it.
// Dependencies are read-only trees of hardlinks that only a sandbox sees; sources, and without a sandbox
// everything, are real copies.
//
//   <work of the element>/build     the sources, where commands run
//   <work of the element>/install   DESTDIR
//   <work of the element>/prefix    dependencies, only without a sandbox
//
// What a build leaves is removed when it succeeded (its empty folder is handed on) and kept when it failed.
// stage() and collect() run in arenas; one mutex guards the little that both know of a job.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/build/spare_folders.h"
#include "core/build/tree_edit.h"
#include "core/exec/local_executor.h"
#include "core/project/project.h"
#include "core/store/store.h"

namespace weir {

// Globs of the files in which the dependencies of an element may differ.
std::vector<std::string> overlaps_of(const Project& project, const std::string& element);
// The same as a question; of no globs it is empty.
store::MayOverlap may_overlap(std::vector<std::string> globs);

class JobFolders {
 public:
  struct Places {
    std::function<std::string(const std::string& element)> work;  // of this run
    std::function<std::string(const std::string& element)> bare;  // without a sandbox
    std::string prefix;
    std::function<void(const std::string& element)> building = {};  // it is about to be built; may be empty
    std::function<std::vector<std::string>(const std::string& element)> overlaps = {};  // may be empty
    std::string spares = {};  // where empty folders wait; empty: they do not
    // Files of a build that lose their setuid, setgid or sticky bit; any thread; may be empty.
    std::function<void(const std::string& element, const std::vector<std::string>& files)> stripped = {};
  };
  JobFolders(store::Store& store, Places places)
      : store_(store),
        places_(std::move(places)),
        empty_output_(empty_tree_at(places_.prefix).text()),
        spares_(places_.spares, places_.prefix) {}

  std::string directory(const JobSpec& spec, std::string_view root) const;
  Result<StagedJob> stage(JobId job, const JobSpec& spec);
  // For LocalExecutorOptions: there is nothing to put there or to remove.
  bool stages_little(const JobSpec& spec) const;
  // For files that a job left: they stay as they are, and only what they are used with is staged.
  Result<StagedJob> stage_again(JobId job, const JobSpec& spec) {
    return spec.sandbox == SandboxRoot::none ? bare_stage(spec) : stage_dependencies(job, spec);
  }
  // When a job has ended: an error if its dependencies were changed while it ran.
  Status check_dependencies(JobId job);
  // The digests of the output tree and of the log.
  Result<std::vector<std::string>> collect(JobId job, const JobSpec& spec, const std::string& log);
  // The same if the job left next to nothing; else nothing is done.
  std::optional<Result<std::vector<std::string>>> collect_little(JobId job, const JobSpec& spec,
                                                                 const std::string& log);

 private:
  std::string folder(const JobSpec& spec) const;
  Status make_folders(const JobSpec& spec);
  Result<std::vector<store::Layer>> source_layers(const JobSpec& spec);
  Result<store::Digest> source_tree(const JobSpec& spec);
  Status stage_sources(const JobSpec& spec);
  Result<std::optional<store::Digest>> tree_without_files(const JobSpec& spec);
  Result<StagedJob> stage_dependencies(JobId job, const JobSpec& spec);
  store::MayOverlap overlaps(const JobSpec& spec) const;
  // Whether LD_LIBRARY_PATH is weir's own and leads nowhere; `brought` is the prefix as it was staged, if it
  // was.
  bool lacks_libraries(const JobSpec& spec, const std::string& brought) const;
  StagedJob bare_stage(const JobSpec& spec) const;
  bool brings_files(const Input& input) const { return input.tree != empty_output_; }
  bool left_nothing(const JobSpec& spec, const std::string& log);
  bool left_little(const JobSpec& spec, const std::string& log) const;
  Result<store::Digest> output_tree(JobId job, const JobSpec& spec);
  Result<std::vector<std::string>> outputs_of(JobId job, const JobSpec& spec, const std::string& log);
  bool has_stage(JobId job);
  Result<std::vector<std::string>> empty_outputs();

  store::Store& store_;
  Places places_;
  const std::string empty_output_;  // the tree of a job that installs nothing
  SpareFolders spares_;
  std::mutex mutex_;
  std::map<std::uint32_t, store::Stage> stages_;          // by job; lives as long as it runs
  std::map<std::uint32_t, store::Digest> known_outputs_;  // by job; of those that need not run
  std::optional<std::vector<std::string>> empty_;         // what collect() gives for a job that left nothing
};

}  // namespace weir
