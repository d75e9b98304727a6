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

#include <weir/barrier.hpp>

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

template <class Kind>
struct QueueTable {
  static QueueRequest request_of(weir_view document) {
    const auto asked = document_of(document);
    const auto part = [&](std::string_view key) {
      const auto* found = asked.find(key);
      return found ? *found : Json(Json::Object());
    };
    return {part("config"), part("element"), asked.text("prefix"), asked.text("install"), part("result")};
  }
  static weir_status needs(weir_view document, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&]() -> Json {
      return Json::Object{{"tokens", Kind::needs(request_of(document))}};
    });
  }
  static weir_status classify(weir_view document, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&]() -> Json {
      const Classified told = Kind::classify(request_of(document));
      return Json::Object{{"is", told.is}, {"reason", told.reason}};
    });
  }
  static weir_status plan(weir_view document, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&] { return to_json(Kind::plan(request_of(document))); });
  }
  static weir_status on_result(weir_view document, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&]() -> Json {
      constexpr std::string_view kWords[] = {"done", "skip", "fail"};
      return Json::Object{{"means", kWords[static_cast<int>(Kind::on_result(request_of(document)))]}};
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
