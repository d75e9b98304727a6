// What kinds with the usual phases have in common: configure, build and install, each with arguments of its own and each
// replaceable by commands; `test` has commands only. Words of the user are arguments, never text for a shell; only commands
// that replace a phase are run by one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/model/kind.h"

namespace weir {

// Where out-of-tree builds are, below the build directory.
inline constexpr std::string_view kTree = "_weir_build";

using Words = std::vector<std::string>;

class PhasedKind : public ElementKind {
 public:
  ResolvedConfig resolve(std::string_view config) const final;
  Result<ElementPlan> plan(std::string_view resolved, const ElementPlaces& places) const final;

 protected:
  // The steps of a phase that is not replaced, with the user's arguments.
  virtual std::vector<Step> configure(const ElementPlaces& places, const Words& arguments) const = 0;
  virtual std::vector<Step> build(const ElementPlaces& places, const Words& arguments) const = 0;
  virtual std::vector<Step> install(const ElementPlaces& places, const Words& arguments) const = 0;
  virtual bool has_configure() const { return true; }
};

// One command with arguments behind it.
Step run(Words words, const Words& arguments = {}, std::string directory = "build");

}  // namespace weir
