// What the adapters of an allocator and of a placer have in common. A plugin that breaks a rule, throws or
// says that it is broken has a fault from then on: it is not asked again, and who asks gets nothing.
// (Crashes, hangs and exit() end weir: guard.h.) On the loop's thread alone, some millions of times a run: a
// call that goes well allocates nothing.
#pragma once

#include <cxxabi.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/model/placement_kind.h"
#include "plugins/host/guard.h"
#include "plugins/host/question.h"

namespace weir {

class PlacementBorder {
 public:
  using Trouble = std::function<weir_status(const weir_reply*)>;
  // `trouble` asks the plugin why it is broken; may be empty.
  PlacementBorder(std::shared_ptr<const PluginLibrary> library, Trouble trouble)
      : library_(std::move(library)), trouble_(std::move(trouble)) {}

  bool is_well() const { return !fault_; }
  const std::optional<Error>& fault() const { return fault_; }
  const PluginLibrary& library() const { return *library_; }

  // Whether it answered.
  template <class Call>
  bool call(const char* question, const Call& call) {
    if (fault_) return false;
    try {
      const Guard guard(library_->file, question);
      const weir_status status = call();
      if (status == WEIR_OK) [[likely]]
        return true;
      status_ = status;
    } catch (const abi::__forced_unwind&) {
      end_for_plugin(library_->file, question, "ended its thread");
    } catch (const std::exception& error) {
      return broke(question, std::string("threw an exception: ") + error.what());
    } catch (...) {
      return broke(question, "threw an exception");
    }
    return not_ok(question);
  }
  // Always false.
  bool broke(const char* question, std::string_view what);
  void take(Error error) {
    if (!fault_) fault_ = std::move(error);
  }

 private:
  bool not_ok(const char* question);

  std::shared_ptr<const PluginLibrary> library_;
  Trouble trouble_;
  weir_status status_ = WEIR_OK;
  std::optional<Error> fault_;
};

// What a kind of either type says of itself.
template <class Interface, class Table>
class PlacementKindAdapter : public Interface {
 public:
  PlacementKindAdapter(std::shared_ptr<const PluginLibrary> library, const PluginOffer& offer)
      : library_(std::move(library)), kind_(offer.kind), table_(std::get<Table>(offer.table)) {}

  std::string_view name() const final { return kind_; }
  std::uint32_t version() const final { return table_.head.version; }
  std::string_view plugin() const final {
    return library_->name == "weir" ? std::string_view() : std::string_view(library_->name);
  }

 protected:
  // A handle that was opened with the document.
  template <class Handle>
  Result<Handle*> open_handle(std::string_view document, std::vector<Complaint>* complaints) const {
    Handle* handle = nullptr;
    auto reply = ask(*library_, "open", Wants::verdict,
                     [&](const weir_reply* raw) { return table_.open(view_of(document), &handle, raw); });
    if (!reply) return tl::unexpected(reply.error());
    if (reply->refused) {
      auto error = error_of(*reply);
      if (complaints) *complaints = std::move(reply->complaints);
      return tl::unexpected(std::move(error));
    }
    if (!handle) return plugin_fault(*library_, "open", "opened nothing, and said that all is well");
    return handle;
  }

  std::shared_ptr<const PluginLibrary> library_;
  std::string kind_;
  Table table_;
};

}  // namespace weir
