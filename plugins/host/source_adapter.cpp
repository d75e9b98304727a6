#include <fmt/format.h>

#include <weir/config.hpp>

#include "plugins/host/adapter.h"
#include "plugins/host/adapters.h"

namespace weir {

namespace {

constexpr std::size_t kLongestRef = 1000;

class PluginSource final : public Adapter<SourceKind, weir_source_v1> {
 public:
  using Adapter::Adapter;

  bool keeps_mirror() const override { return (table().head.flags & WEIR_SOURCE_MIRROR) != 0; }
  Result<ResolvedConfig> resolve(std::string_view config) const override {
    return resolve_with(table().resolve, config);
  }

  Result<SourceFacts> describe(std::string_view resolved) const override {
    if (!table().describe) return SourceFacts{};
    auto facts = ask_and_read("describe", table().describe, config_alone(resolved), read_facts);
    if (facts && !facts->content && !table().plan_fetch)
      return fault("describe", "says neither what of the project it is nor can it fetch");
    return facts;
  }

  Result<std::string> wrong_ref(std::string_view ref) const override {
    if (!table().check_ref) return "this kind has no ref";
    const auto reply = ask(library(), "check_ref", Wants::verdict,
                           [&](const weir_reply* to) { return table().check_ref(view_of(ref), to); });
    if (!reply) return tl::unexpected(reply.error());
    return reply->refused ? reply->complaints.front().message : std::string();
  }

  Result<std::vector<Step>> plan_track(std::string_view resolved,
                                       const SourceRequest& request) const override {
    return plan("plan_track", table().plan_track, resolved, request);
  }
  Result<std::vector<Step>> plan_fetch(std::string_view resolved,
                                       const SourceRequest& request) const override {
    return plan("plan_fetch", table().plan_fetch, resolved, request);
  }

  Result<std::string> parse_track(std::string_view resolved, const TrackAnswer& answer) const override {
    if (!table().parse_track)
      return fail(Reason::bug, fmt::format("sources of kind {} are not tracked", name()));
    std::string document;
    JsonWriter json(document);
    json.begin_object().key("config").raw(resolved).key("sha256").value(answer.sha256).end_object();
    const auto reply = ask(library(), "parse_track", Wants::document, [&](const weir_reply* to) {
      return table().parse_track(view_of(document), view_of(answer.text), to);
    });
    if (!reply) return tl::unexpected(reply.error());
    if (reply->refused) return tl::unexpected(error_of(*reply));
    auto ref = reply->document.text("ref");
    if (ref.empty()) return fault("parse_track", "answered without a ref");
    if (ref.size() > kLongestRef)
      return fault("parse_track", fmt::format("answered with a ref of {} bytes", ref.size()));
    return ref;
  }

  Result<SourceStage> plan_stage(std::string_view resolved, std::string_view directory,
                                 std::string_view name) const override {
    if (!table().plan_stage) return SourceStage{std::string(directory), {}};
    std::string document;
    JsonWriter json(document);
    json.begin_object()
        .key("config")
        .raw(resolved)
        .key("directory")
        .value(directory)
        .key("name")
        .value(name)
        .end_object();
    return ask_and_read("plan_stage", table().plan_stage, document, read_stage);
  }

 private:
  static std::string config_alone(std::string_view resolved) {
    std::string document;
    JsonWriter(document).begin_object().key("config").raw(resolved).end_object();
    return document;
  }

  static Result<SourceFacts> read_facts(const sdk::Json& answer) {
    SourceFacts facts;
    if (const auto* key = answer.find("key")) {
      if (!key->object()) return fail(Reason::bug, "answered with a `key` that is no object");
      facts.key = key->dump();
    }
    if (const auto* content = answer.find("content")) {
      const auto path = content->text("path");
      if (!content->object() || !content->find("path") || !sdk::stays_inside(path))
        return fail(Reason::bug,
                    fmt::format("answered with the path \"{}\", which is outside of the project", path));
      facts.content = ProjectContent{path, content->texts("exclude")};
    }
    return facts;
  }

  static Result<SourceStage> read_stage(const sdk::Json& answer) {
    auto steps = read_steps(answer, {"build"});
    if (!steps) return tl::unexpected(steps.error());
    auto place = answer.text("place");
    if (!sdk::stays_inside(place))
      return fail(Reason::bug,
                  fmt::format("it wants the place \"{}\", which is outside of the build directory", place));
    return SourceStage{std::move(place), std::move(*steps)};
  }

  Result<std::vector<Step>> plan(const char* question, weir_question* function, std::string_view resolved,
                                 const SourceRequest& request) const {
    if (!function) return fail(Reason::bug, fmt::format("sources of kind {} come from nowhere", name()));
    std::string document;
    JsonWriter json(document);
    json.begin_object()
        .key("cache")
        .value(request.cache)
        .key("config")
        .raw(resolved)
        .key("name")
        .value(request.name);
    if (!request.ref.empty()) json.key("ref").value(request.ref);
    json.key("url").value(request.url).end_object();
    const auto own = fmt::format("source/{}", request.name), cache = fmt::format("cache/{}", request.cache);
    return ask_and_read(question, function, document, [&](const sdk::Json& answer) {
      return read_steps(answer, {own, cache}, "source");
    });
  }
};

}  // namespace

Result<std::unique_ptr<SourceKind>> adapt_source(std::shared_ptr<const PluginLibrary> library,
                                                 const PluginOffer& offer) {
  return adapt<PluginSource, SourceKind>(std::move(library), offer);
}

}  // namespace weir
