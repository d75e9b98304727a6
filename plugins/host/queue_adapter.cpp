#include <fmt/format.h>

#include "core/base/utf8.h"
#include "plugins/host/adapter.h"
#include "plugins/host/adapters.h"

namespace weir {

namespace {

std::string document_of(const QueueRequest& request, const std::function<void(JsonWriter&)>& more) {
  std::string document;
  JsonWriter json(document);
  json.begin_object().key("config").raw(request.config).key("element").raw(request.element);
  more(json);
  json.end_object();
  return document;
}
std::string document_of(const QueueRequest& request) {
  return document_of(request, [](JsonWriter&) {});
}

Result<QueueOpinion> read_opinion(const sdk::Json& answer) {
  using Is = QueueOpinion::Is;
  const auto is = answer.text("is");
  if (is == "ready") return QueueOpinion{Is::ready, {}};
  if (is == "skip") return QueueOpinion{Is::skip, answer.text("reason")};
  if (is == "never") return QueueOpinion{Is::never, answer.text("reason")};
  return fail(Reason::bug, fmt::format("answered \"{}\", which is neither ready, skip nor never", is));
}

Result<QueueKind::Means> read_meaning(const sdk::Json& answer) {
  const auto means = answer.text("means");
  if (means == "done") return QueueKind::Means::done;
  if (means == "skip") return QueueKind::Means::skip;
  if (means == "fail") return QueueKind::Means::fail;
  return fail(Reason::bug, fmt::format("answered \"{}\", which is neither done, skip nor fail", means));
}

Result<std::optional<std::vector<TokenCount>>> read_needs(const sdk::Json& answer) {
  const auto* tokens = answer.find("tokens");
  if (!tokens) return fail(Reason::bug, "answered without `tokens`");
  auto counts = read_counts(*tokens);
  if (!counts) return tl::unexpected(counts.error());
  return std::optional(std::move(*counts));
}

class PluginQueueKind final : public Adapter<QueueKind, weir_queue_v1> {
 public:
  using Adapter::Adapter;

  Status prepare() {
    if (auto ready = Adapter::prepare(); !ready) return ready;
    auto counts = constant("resources", table().resources,
                           R"(it is a JSON object of numbers: {"scanner": 2})", [](std::string_view text) {
                             return read_counts(text.empty() ? sdk::Json::Object()
                                                             : sdk::Json::parse(text).value_or(sdk::Json()));
                           });
    if (!counts) return tl::unexpected(counts.error());
    resources_ = std::move(*counts);
    return {};
  }

  bool stages_sources() const override { return (table().head.flags & WEIR_QUEUE_SOURCES) != 0; }
  const std::vector<TokenCount>& resources() const override { return resources_; }
  Result<ResolvedConfig> resolve(std::string_view config) const override {
    if (table().resolve) return resolve_with(table().resolve, config);
    ResolvedConfig resolved{"{}", "{}", {}};
    if (config != "{}")
      resolved.complaints.push_back(
          {{}, fmt::format("the queue {} takes no configuration", name()), "take the table away"});
    return resolved;
  }
  Result<std::optional<std::vector<TokenCount>>> needs(const QueueRequest& request) const override {
    if (!table().needs) return std::optional<std::vector<TokenCount>>();
    return ask_and_read("needs", table().needs, document_of(request), read_needs);
  }
  Result<QueueOpinion> classify(const QueueRequest& request) const override {
    return ask_and_read("classify", table().classify, document_of(request), read_opinion);
  }
  Result<ElementPlan> plan(const QueueRequest& request, const ElementPlaces& places) const override {
    if (!is_utf8(places.install))
      return fail(Reason::project, "the cache is in a folder whose name is no UTF-8", "use another one");
    const auto document = document_of(request, [&](JsonWriter& json) {
      json.key("install").value(places.install).key("prefix").value(places.prefix);
    });
    return ask_and_read("plan", table().plan, document, [](const sdk::Json& answer) {
      return read_plan(answer, {"build", "install"});
    });
  }
  Result<Means> on_result(const QueueRequest& request, const JobResult& result) const override {
    const bool succeeded = result.ending == Ending::succeeded;
    if (!table().on_result) return succeeded ? Means::done : Means::fail;
    const auto document = document_of(request, [&](JsonWriter& json) {
      json.key("result")
          .begin_object()
          .key("ending")
          .value(to_string(result.ending))
          .key("exit")
          .value(result.exit);
      json.key("failure").value(to_string(result.failure)).end_object();
    });
    return ask_and_read("on_result", table().on_result, document, read_meaning);
  }

 private:
  std::vector<TokenCount> resources_;
};

}  // namespace

Result<std::unique_ptr<QueueKind>> adapt_queue(std::shared_ptr<const PluginLibrary> library,
                                               const PluginOffer& offer) {
  return adapt<PluginQueueKind, QueueKind>(std::move(library), offer);
}

}  // namespace weir
