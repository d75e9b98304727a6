// A source kind. Either of the project:
//
//   struct Local {
//     static constexpr std::string_view kind = "local";
//     static constexpr std::uint32_t version = 1;
//     static void resolve(ConfigReader& config) { config.required_text("path", "name a folder"); }
//     static Description describe(const Json& config) { return {.path = config.text("path")}; }
//   };
//
// or of elsewhere, with check_ref, plan_track, parse_track and plan_fetch instead; describe may then say what
// enters the key. Both may have plan_stage, example, host_tools, flags.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <weir/entry.hpp>

namespace weir::sdk {

struct Description {
  std::optional<std::string> path = {};  // in the project: its content is the source
  std::vector<std::string> exclude = {};
  Json key = Json::Object();  // what beside ref or content decides on the files
};

struct SourceRequest {
  Json config;
  std::string url, ref, name, cache;
};
struct TrackAnswer {
  Json config;
  std::string sha256;        // of what the steps left in source/<name>.track
  std::string_view content;  // empty if that is longer than 16 MiB
};
struct StageRequest {
  Json config;
  std::string directory, name;
};
struct Stage {
  std::string place;  // below the build directory
  Steps steps = {};
};

namespace sdk_detail {
using DescribeSource = Description (*)(Json&&);
weir_status describe_source(weir_view document, const weir_reply* reply, DescribeSource describe) noexcept;
using PlanSource = Steps (*)(SourceRequest&&);  // track and fetch
weir_status plan_source(weir_view document, const weir_reply* reply, PlanSource plan) noexcept;
using ParseTrack = Json (*)(TrackAnswer&&);
weir_status parse_track(weir_view document, weir_view content, const weir_reply* reply,
                        ParseTrack parse) noexcept;
using PlanStage = Stage (*)(StageRequest&&);
weir_status plan_stage(weir_view document, const weir_reply* reply, PlanStage plan) noexcept;
}  // namespace sdk_detail

template <class Kind>
struct SourceTable {
  static weir_status describe(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::describe_source(
        document, reply, [](Json&& config) -> Description { return Kind::describe(std::move(config)); });
  }
  static weir_status check_ref(weir_view ref, const weir_reply* reply) noexcept {
    return behind_barrier(reply, [&] { Kind::check_ref(text_of(ref)); });
  }
  static weir_status plan_track(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::plan_source(document, reply, [](SourceRequest&& request) -> Steps {
      return Kind::plan_track(std::move(request));
    });
  }
  static weir_status parse_track(weir_view document, weir_view content, const weir_reply* reply) noexcept {
    return sdk_detail::parse_track(document, content, reply, [](TrackAnswer&& answer) -> Json {
      return Kind::parse_track(std::move(answer));
    });
  }
  static weir_status plan_fetch(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::plan_source(document, reply, [](SourceRequest&& request) -> Steps {
      return Kind::plan_fetch(std::move(request));
    });
  }
  static weir_status plan_stage(weir_view document, const weir_reply* reply) noexcept {
    return sdk_detail::plan_stage(document, reply, [](StageRequest&& request) -> Stage {
      return Kind::plan_stage(std::move(request));
    });
  }

  static constexpr weir_source_v1 make() {
    weir_source_v1 all = {head_of<Kind>(sizeof(weir_source_v1)),
                          host_tools_of<Kind>(),
                          resolve_config<Kind>,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};
    if constexpr (requires { &Kind::describe; }) all.describe = describe;
    if constexpr (requires { &Kind::check_ref; }) all.check_ref = check_ref;
    if constexpr (requires { &Kind::plan_track; }) all.plan_track = plan_track;
    if constexpr (requires { &Kind::parse_track; }) all.parse_track = parse_track;
    if constexpr (requires { &Kind::plan_fetch; }) all.plan_fetch = plan_fetch;
    if constexpr (requires { &Kind::plan_stage; }) all.plan_stage = plan_stage;
    return all;
  }
  static constexpr weir_source_v1 table = make();
};

template <class Kind>
constexpr weir_offer source() {
  return {view(WEIR_SOURCE), &SourceTable<Kind>::table};
}

}  // namespace weir::sdk

#ifdef WEIR_SDK_HEADER_ONLY
#include <weir/impl/source.ipp>
#endif
