// What the adapters of all types have in common.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json_writer.h"
#include "core/model/kind.h"
#include "plugins/host/guard.h"
#include "plugins/host/plan_document.h"
#include "plugins/host/question.h"

namespace weir {

// The library of weir's own kinds has this name.
inline constexpr std::string_view kOwnPlugin = "weir";

template <class Interface, class Table>
class Adapter : public Interface {
 public:
  Adapter(std::shared_ptr<const PluginLibrary> library, const PluginOffer& offer)
      : library_(std::move(library)), kind_(offer.kind), table_(std::get<Table>(offer.table)) {}

  // Reads what is constant in the table.
  Status prepare() {
    auto tools =
        constant("host_tools", table_.host_tools, R"(it is a JSON list of programs: ["cc"])", read_words);
    if (!tools) return tl::unexpected(tools.error());
    host_tools_ = std::move(*tools);
    return {};
  }

  std::string_view name() const final { return kind_; }
  std::uint32_t version() const final { return table_.head.version; }
  std::string_view plugin() const final {
    return library_->name == kOwnPlugin ? std::string_view() : std::string_view(library_->name);
  }
  const std::vector<std::string>& host_tools() const final { return host_tools_; }

 protected:
  template <class Read>
  auto constant(std::string_view what, weir_view view, std::string_view remedy, const Read& read) const
      -> decltype(read(std::string_view())) {
    const auto refuse = [&](std::string_view why) {
      return fail(Reason::project,
                  fmt::format("the plugin {}: `{}` of {} {}", library_->title(), what, kind_, why),
                  std::string(remedy));
    };
    if (view.size > WEIR_LONGEST_DOCUMENT || (view.size > 0 && !view.data))
      return refuse(fmt::format("has {} bytes", view.size));
    auto all = read(copy_of(view));
    if (!all) return refuse(all.error().message);
    return all;
  }

  Result<ResolvedConfig> resolve_with(weir_question* function, std::string_view config) const {
    auto reply = ask(*library_, "resolve", function, config);
    if (!reply) return tl::unexpected(reply.error());
    ResolvedConfig resolved;
    resolved.complaints = std::move(reply->complaints);
    if (!reply->refused && !resolved.complaints.empty())
      return fault("resolve", "complained, and said that all is well");
    auto& members = *reply->document.object();
    if (const auto later = members.extract("later")) {
      if (!later.mapped().object()) return fault("resolve", "answered with a `later` that is no object");
      resolved.later = later.mapped().dump();
    }
    resolved.document = reply->document.dump();
    return resolved;
  }

  // The answer has to be right: what was asked about is weir's own.
  Result<sdk::Json> ask_for(const char* question, weir_question* function, std::string_view document) const {
    auto reply = ask(*library_, question, function, document);
    if (!reply) return tl::unexpected(reply.error());
    if (reply->refused) return tl::unexpected(error_of(*reply));
    return std::move(reply->document);
  }

  // Reads an answer; what is wrong with it is the plugin's fault.
  template <class Read>
  auto ask_and_read(const char* question, weir_question* function, std::string_view document,
                    const Read& read) const -> decltype(read(sdk::Json())) {
    const auto answer = ask_for(question, function, document);
    if (!answer) return tl::unexpected(answer.error());
    auto all = read(*answer);
    if (!all) return fault(question, all.error().message);
    return all;
  }

  tl::unexpected<Error> fault(std::string_view question, std::string_view what) const {
    return plugin_fault(*library_, question, what);
  }
  const Table& table() const { return table_; }
  const PluginLibrary& library() const { return *library_; }

 private:
  // It may be anywhere.
  std::string copy_of(weir_view view) const {
    const Guard guard(library_->file, "describe itself (the texts of a table)");
    return std::string(view.data ? view.data : "", view.size);
  }

  std::shared_ptr<const PluginLibrary> library_;
  std::string kind_;
  Table table_;
  std::vector<std::string> host_tools_;
};

// Makes an adapter and lets it read its table.
template <class Own, class Interface>
Result<std::unique_ptr<Interface>> adapt(std::shared_ptr<const PluginLibrary> library,
                                         const PluginOffer& offer) {
  auto made = std::make_unique<Own>(std::move(library), offer);
  if (auto ready = made->prepare(); !ready) return tl::unexpected(ready.error());
  return std::unique_ptr<Interface>(std::move(made));
}

}  // namespace weir
