#include "plugins/host/question.h"

#include <fmt/format.h>

#include <cxxabi.h>

#include <exception>
#include <optional>

#include "core/base/utf8.h"
#include "plugins/host/guard.h"

namespace weir {

namespace {

constexpr std::size_t kMostComplaints = 1000;
constexpr std::uint64_t kLongestComplaint = 64 << 10;

// What the plugin has said so far. The plugin's calls come in here while it answers.
struct Heard {
  std::optional<std::string> document;
  std::vector<Complaint> complaints;
  std::string fault;

  bool take(weir_view view, std::uint64_t longest, std::string_view what, std::string& out) {
    if (view.size > longest || (view.size > 0 && !view.data)) {
      fault = fmt::format("gave {} of {} bytes{}", what, view.size, view.data ? "" : " at NULL");
      return false;
    }
    out.assign(view.data ? view.data : "", view.size);
    if (is_utf8(out)) return true;
    fault = fmt::format("gave {} that is no UTF-8", what);
    return false;
  }
};

Heard& heard_by(const weir_reply* reply) { return *static_cast<Heard*>(reply->host); }

void take_document(const weir_reply* reply, weir_view document) {
  auto& heard = heard_by(reply);
  std::string text;
  if (heard.document) heard.fault = "answered twice";
  else if (heard.take(document, WEIR_LONGEST_DOCUMENT, "a document", text)) heard.document = std::move(text);
}

void take_complaint(const weir_reply* reply, weir_view path, weir_view message, weir_view remedy) {
  auto& heard = heard_by(reply);
  Complaint complaint;
  if (heard.complaints.size() < kMostComplaints &&
      heard.take(path, kLongestComplaint, "a path", complaint.path) &&
      heard.take(message, kLongestComplaint, "a message", complaint.message) &&
      heard.take(remedy, kLongestComplaint, "a remedy", complaint.remedy)) {
    if (complaint.message.empty()) heard.fault = "complained and did not say of what";
    heard.complaints.push_back(std::move(complaint));
  }
}

Result<weir_status> call_guarded(const PluginLibrary& library, const char* question, const weir_reply& reply,
                                 const std::function<weir_status(const weir_reply*)>& call) {
  try {
    const Guard guard(library.file, question);
    return call(&reply);
  } catch (const abi::__forced_unwind&) {
    end_for_plugin(library.file, question,
                   "ended its thread");  // it cannot be kept alive, and this one is weir's
  } catch (const std::exception& error) {
    return plugin_fault(library, question, fmt::format("threw an exception: {}", error.what()));
  } catch (...) {
    return plugin_fault(library, question, "threw an exception");
  }
}

}  // namespace

tl::unexpected<Error> plugin_fault(const PluginLibrary& library, std::string_view question,
                                   std::string_view what) {
  return fail(Reason::bug, fmt::format("the plugin {}, asked to {}: {}", library.title(), question, what),
              fmt::format("this is a bug of the plugin; `weir plugin check {}` shows it", library.file));
}

Error error_of(const Reply& reply) {
  const auto& first = reply.complaints.front();
  return {Reason::project, first.message, first.remedy};
}

Result<Reply> ask(const PluginLibrary& library, const char* question, Wants wants,
                  const std::function<weir_status(const weir_reply*)>& call) {
  Heard heard;
  const weir_reply raw = {sizeof(weir_reply), 0, &heard, take_document, take_complaint};
  const auto status = call_guarded(library, question, raw, call);
  if (!status) return tl::unexpected(status.error());
  if (!heard.fault.empty()) return plugin_fault(library, question, heard.fault);
  if (*status == WEIR_BROKEN)
    return plugin_fault(
        library, question,
        heard.complaints.empty() ? "failed and did not say why" : heard.complaints.front().message);
  Reply reply;
  reply.complaints = std::move(heard.complaints);
  if (*status == WEIR_REFUSED) {
    if (reply.complaints.empty()) return plugin_fault(library, question, "refused and did not say why");
    reply.refused = true;
    return reply;
  }
  if (*status != WEIR_OK)
    return plugin_fault(library, question, fmt::format("returned {}, which is no status", *status));
  if (wants == Wants::verdict) return reply;
  if (!heard.document) return plugin_fault(library, question, "gave no answer");
  auto document = sdk::Json::parse(*heard.document);
  if (!document)
    return plugin_fault(library, question, "answered with something that is no JSON, or is nested too deep");
  if (!document->object())
    return plugin_fault(library, question, "answered with something that is no JSON object");
  reply.document = std::move(*document);
  reply.text = std::move(*heard.document);
  return reply;
}

Result<Reply> ask(const PluginLibrary& library, const char* question, weir_question* function,
                  std::string_view document) {
  return ask(library, question, Wants::document,
             [&](const weir_reply* reply) { return function(view_of(document), reply); });
}

}  // namespace weir
