// A command that is a family of commands: weir cache stat, weir plugin list.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "core/cli/command.h"

namespace weir::cli {

class Subcommands {
 public:
  explicit Subcommands(CLI::App& app) : app_(app), chosen_(std::make_shared<Run>()) { app.require_subcommand(0, 1); }

  CLI::App* add(const char* name, const char* what, Run run) {
    auto* command = app_.add_subcommand(name, what);
    command->callback([chosen = chosen_, run = std::move(run)] { *chosen = run; });
    return command;
  }
  // Runs the one that the user named.
  Run chosen() const {
    return [chosen = chosen_] { return (*chosen)(); };
  }

 private:
  CLI::App& app_;
  std::shared_ptr<Run> chosen_;
};

}  // namespace weir::cli
