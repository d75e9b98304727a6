// A command that is a family of commands: weir cache stat, weir plugin list.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/cli/command.h"
#include "core/cli/declare.h"

namespace weir::cli {

class Subcommands {
 public:
  Subcommands(CLI::App& app, const Globals& globals)
      : app_(app), globals_(globals), runs_(std::make_shared<Runs>()) {}

  CLI::App* add(const char* name, const char* what, Run run) {
    auto& command = declare(app_, name, what, "Commands");
    runs_->emplace(name, std::move(run));
    return &command;
  }
  // Runs the one that the user named.
  Run chosen() const {
    return [runs = runs_, &globals = globals_] { return runs->at(globals.subcommand)(); };
  }

 private:
  using Runs = std::map<std::string, Run>;
  CLI::App& app_;
  const Globals& globals_;
  std::shared_ptr<Runs> runs_;
};

}  // namespace weir::cli
