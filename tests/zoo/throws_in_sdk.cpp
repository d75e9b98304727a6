#include <stdexcept>

#include <weir/plugin.hpp>

using namespace weir::sdk;

struct Animal {
  static constexpr std::string_view kind = "animal";
  static constexpr std::uint32_t version = 1;
  static void resolve(ConfigReader&) { throw std::runtime_error("zoo says no"); }
  static Plan plan(const ElementRequest&) { return {}; }
};

WEIR_PLUGIN("zoo", "1.0", element<Animal>())
