// A queue:
//
//   struct Test {
//     static constexpr std::string_view kind = "test";
//     static constexpr std::uint32_t version = 1;
//     static Classified classify(const QueueRequest& request) { return ready(); }
//     static Plan plan(const QueueRequest& request) { ... }
//   };
//
// It may also have: resolve, needs, on_result; example, host_tools, resources (JSON texts), flags.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <weir/entry.hpp>

namespace weir::sdk {

struct QueueRequest {
  Json config;                  // of the queue
  Json element;                 // its config, cpu, kind, later, name, public
  std::string prefix, install;  // for plan
  Json result;                  // for on_result: ending, exit, failure
};

struct Classified {
  std::string_view is;
  std::string reason;
};
inline Classified ready() { return {"ready", {}}; }
inline Classified skip(std::string reason) { return {"skip", std::move(reason)}; }
inline Classified never(std::string reason) { return {"never", std::move(reason)}; }

enum class Meaning { done, skip, fail };

namespace sdk_detail {
using QueueNeeds = Json (*)(QueueRequest&&);
weir_status queue_needs(weir_view document, const weir_reply* reply, QueueNeeds needs) noexcept;
using ClassifyQueue = Classified (*)(QueueRequest&&);
weir_status classify_queue(weir_view document, const weir_reply* reply, ClassifyQueue classify) noexcept;
using PlanQueue = Plan (*)(QueueRequest&&);
weir_status plan_queue(weir_view document, const weir_reply* reply, PlanQueue plan) noexcept;
using QueueResult = Meaning (*)(QueueRequest&&);
weir_status queue_result(weir_view document, const weir_reply* reply, QueueResult on_result) noexcept;
}  // namespace sdk_detail

template <class Kind>
struct QueueTable {
  static weir_status needs(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::queue_needs(
        document, reply, [](QueueRequest&& request) -> Json { return Kind::needs(std::move(request)); });
  }
  static weir_status classify(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::classify_queue(document, reply, [](QueueRequest&& request) -> Classified {
      return Kind::classify(std::move(request));
    });
  }
  static weir_status plan(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::plan_queue(
        document, reply, [](QueueRequest&& request) -> Plan { return Kind::plan(std::move(request)); });
  }
  static weir_status on_result(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::queue_result(document, reply, [](QueueRequest&& request) -> Meaning {
      return Kind::on_result(std::move(request));
    });
  }

  static constexpr weir_queue_v1 make() {
    weir_queue_v1 all = {head_of<Kind>(sizeof(weir_queue_v1)),
                         {},
                         host_tools_of<Kind>(),
                         nullptr,
                         nullptr,
                         classify,
                         plan,
                         nullptr};
    if constexpr (requires { Kind::resources; }) all.resources = view(Kind::resources);
    if constexpr (requires { &Kind::resolve; }) all.resolve = resolve_config<Kind>;
    if constexpr (requires { &Kind::needs; }) all.needs = needs;
    if constexpr (requires { &Kind::on_result; }) all.on_result = on_result;
    return all;
  }
  static constexpr weir_queue_v1 table = make();
};

template <class Kind>
constexpr weir_offer queue() {
  return {view(WEIR_QUEUE), &QueueTable<Kind>::table};
}

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/queue.ipp>
#endif
