// The remotes of a run, in their order. A plugin is loaded when a remote is first needed: a build with
// nothing to do needs none. Thread: the loop's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/remote/remote_line.h"
#include "core/remote/transfer_executor.h"

namespace weir {

struct RemoteSetup {
  RemoteAddress address;
  bool push = false;
  bool required = false;  // to be pushed to, or the run fails
};

struct RemoteLinesParts {
  std::vector<RemoteSetup> setups;
  const Clock& clock;
  std::string notes_folder;
  unsigned retries = 3;
  std::function<Result<const RemoteKind*>(std::string_view scheme)> kind;
  std::function<void(const RemoteLine::News&)> tell;  // any thread
};

class RemoteLines {
 public:
  explicit RemoteLines(RemoteLinesParts parts);
  ~RemoteLines();  // waits a moment for what is under way

  bool empty() const { return lines_.empty(); }
  // Those that could be used now, as far as is known.
  bool any_readable();
  bool any_writable();
  bool push_required() const;
  // Every remote that is to be pushed to had the record lately.
  bool all_know(std::string_view key) const;

  // Opens them if that was not done.
  std::vector<RemoteLine*> pull_from();
  std::vector<PushTarget> push_to();
  const std::vector<RemoteSetup>& setups() const { return parts_.setups; }

 private:
  void open();
  bool is_usable(std::size_t line, RemoteLine::Direction direction);

  RemoteLinesParts parts_;
  std::vector<std::unique_ptr<RemoteLine>> lines_;  // by setup
  bool opened_ = false;
};

}  // namespace weir
