// A command that is a family of commands: weir cache stat, weir plugin list.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/cli/args.h"
#include "core/cli/command.h"

namespace weir::cli {

class Subcommands {
 public:
  Subcommands(Command& command, const Globals& globals)
      : parent_(command), globals_(globals), runs_(std::make_shared<Runs>()) {}

  Command& add(const char* name, const char* what, Run run) {
    runs_->emplace(name, std::move(run));
    return parent_.add_command(name, what, "Commands");
  }
  // Runs the one that the user named.
  Run chosen() const {
    return [runs = runs_, &globals = globals_] { return runs->at(globals.subcommand)(); };
  }

 private:
  using Runs = std::map<std::string, Run>;
  Command& parent_;
  const Globals& globals_;
  std::shared_ptr<Runs> runs_;
};

}  // namespace weir::cli
