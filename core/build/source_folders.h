// The files of track and fetch jobs, for the local executor.
//
//   <work of the element>/source/<name>          fetch: the files of a source; the folder is taken into the
//                                                store
//   <work of the element>/source/<name>.track    track: the answer
//   <cache>/sources/                             the root `cache`: mirrors, downloads
//
// stage() and collect() run in arenas.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/exec/local_executor.h"
#include "core/model/kind.h"
#include "core/store/store.h"

namespace weir {

class SourceFolders {
 public:
  using WorkOf = std::function<std::string(const std::string& element)>;
  // The ref that an answer means; `output` is its position in the job's outputs. Any thread.
  using RefIn =
      std::function<Result<std::string>(const std::string& element, std::size_t output, const TrackAnswer&)>;
  SourceFolders(store::Store& store, WorkOf work, std::string cache, RefIn ref_in)
      : store_(store), work_(std::move(work)), cache_(std::move(cache)), ref_in_(std::move(ref_in)) {}

  std::string directory(const JobSpec& spec, std::string_view root) const;
  Result<StagedJob> stage(const JobSpec& spec) const;
  // For each output of the spec: of a folder the digest of its tree, of an answer the ref. Then the digest of
  // the log.
  Result<std::vector<std::string>> collect(const JobSpec& spec, const std::string& log) const;

 private:
  Result<std::string> take(const JobSpec& spec, std::size_t output) const;

  store::Store& store_;
  WorkOf work_;
  std::string cache_;
  RefIn ref_in_;
};

}  // namespace weir
