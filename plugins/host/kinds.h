// All kinds that a project can use, by name.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/kind.h"

namespace weir {

class Kinds {
 public:
  Kinds();  // those that come with weir

  const ElementKind* element(std::string_view name) const;
  const SourceKind* source(std::string_view name) const;
  std::vector<std::string> element_names() const;
  std::vector<std::string> source_names() const;

 private:
  std::map<std::string, std::unique_ptr<ElementKind>, std::less<>> elements_;
  std::map<std::string, std::unique_ptr<SourceKind>, std::less<>> sources_;
};

}  // namespace weir
