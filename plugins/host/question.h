// One question to a plugin: what it answers is copied and checked, and whatever it does wrong becomes an
// Error that names it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <weir/json.hpp>

#include "core/model/kind.h"
#include "plugins/host/plugin_library.h"

namespace weir {

struct Reply {
  bool refused = false;  // then there are complaints
  sdk::Json document = sdk::Json::Object();
  std::string text;  // the document as it was given
  std::vector<Complaint> complaints;
};

enum class Wants : std::uint8_t { document, verdict };  // a verdict is good or refused, and has no document

// `question` is a name of the ABI ("resolve"). The Error is a bug of the plugin.
Result<Reply> ask(const PluginLibrary& library, const char* question, Wants wants,
                  const std::function<weir_status(const weir_reply*)>& call);
Result<Reply> ask(const PluginLibrary& library, const char* question, weir_question* function,
                  std::string_view document);

// What a plugin did wrong, for people.
tl::unexpected<Error> plugin_fault(const PluginLibrary& library, std::string_view question,
                                   std::string_view what);

// The first complaint of a question about something that is not written in a file of the user.
Error error_of(const Reply& reply);

inline weir_view view_of(std::string_view text) { return {text.data(), text.size()}; }

}  // namespace weir
