#include "plugins/host/interview.h"

#include <fmt/format.h>

#include <functional>

#include "core/base/fd.h"
#include "core/base/json_writer.h"
#include "plugins/host/adapters.h"
#include "plugins/host/placement_days.h"
#include "plugins/host/question.h"
#include "plugins/host/seal.h"

namespace weir {

namespace {

constexpr char kUnknownKey[] = "weir-check-unknown";
constexpr std::string_view kOddPlacement =
    R"({"allocate":7,"cache-timeout":-1,"classes":[{"load":-1,"name":"a"},{"load":1e300,"name":"a","requestor":"("},[]],"deps-timeout":"soon","loans":{},)"
    R"("pick":"","place":null,"rebalance-after":-1e99,"rebalance-threshold":"","seed":-1,"skip-empty-stages":2,"weir-check-unknown":true})";
constexpr std::string_view kRemoteOfWrongTypes =
    R"({"ca":[],"connect-timeout-ms":"soon","token":{},"url":7,"weir-check-unknown":true})";
constexpr std::string_view kOddRemote =
    R"({"ca":"\u0000","connect-timeout-ms":-9223372036854775807,"token":"a\r\nb","url":"://?@"})";
constexpr ElementPlaces kPlaces{"/weir", "/weir-check/install"};
constexpr std::string_view kElement =
    R"({"config":{},"cpu":1,"kind":"script","later":{"test":["true"]},"name":"check","public":{}})";
const std::string kRefs[] = {std::string(40, 'a'), std::string(64, 'a')};

std::string text_of(const Step& step) {
  const auto text = [](const auto& one) -> std::string {
    using T = std::decay_t<decltype(one)>;
    if constexpr (std::is_same_v<T, RunStep>) {
      std::string meanings;
      for (const auto& meaning : one.meanings)
        meanings += fmt::format(" {}={}", meaning.exit, static_cast<int>(meaning.failure));
      return fmt::format("run in {}:{} <{}>", one.directory, meanings, fmt::join(one.argv, "> <"));
    } else if constexpr (std::is_same_v<T, CopyStep>) {
      return fmt::format("copy {} to {}", one.from, one.to);
    } else if constexpr (std::is_same_v<T, WriteStep>) {
      return fmt::format("write {} {}: {}", one.to, one.executable, one.content);
    } else if constexpr (std::is_same_v<T, DownloadStep>) {
      return fmt::format("download {} to {} {} {}", one.url, one.to, one.sha256, one.executable);
    } else if constexpr (std::is_same_v<T, UnpackStep>) {
      return fmt::format("unpack {} to {} {}", one.from, one.to, one.strip);
    } else {
      return "another step";
    }
  };
  return std::visit(text, step);
}
std::string text_of(const std::vector<Step>& steps) {
  std::string all;
  for (const auto& step : steps) all += text_of(step) + "\n";
  return all;
}
std::string text_of(const ElementPlan& plan) {
  auto all = text_of(plan.steps);
  for (const auto& [name, value] : plan.environment) all += fmt::format("{}={}\n", name, value);
  return all;
}
std::string text_of(const SourceFacts& facts) {
  return facts.content ? fmt::format("{} {} without {}", facts.key, facts.content->path,
                                     fmt::join(facts.content->exclude, " "))
                       : facts.key;
}
std::string text_of(const SourceStage& stage) { return stage.place + "\n" + text_of(stage.steps); }
std::string text_of(const QueueOpinion& opinion) {
  return fmt::format("{} {}", static_cast<int>(opinion.is), opinion.reason);
}
std::string text_of(QueueKind::Means means) { return std::to_string(static_cast<int>(means)); }
std::string text_of(const std::optional<std::vector<TokenCount>>& counts) {
  std::string all;
  if (counts)
    for (const auto& one : *counts) all += fmt::format("{} {}\n", one.token, one.amount);
  return all;
}
std::string text_of(const std::string& text) { return text; }

class Interview {
 public:
  Interview(const InterviewRequest& request, int report) : request_(request), report_(report) {}

  void run() {
    const auto library = PluginLibrary::load(request_.file);
    if (!library) return say("wrong", "load", library.error().message);
    const auto* offer = (*library)->find(request_.type, request_.kind);
    if (!offer) return say("wrong", "load", "it does not offer the kind any more");
    asking("table");
    switch (request_.type) {
      case PluginType::element:
        return with_kind(adapt_element(*library, *offer), [&](const ElementKind& kind) { element(kind); });
      case PluginType::source:
        return with_kind(adapt_source(*library, *offer), [&](const SourceKind& kind) {
          source(kind, std::get<weir_source_v1>(offer->table));
        });
      case PluginType::queue:
        return with_kind(adapt_queue(*library, *offer),
                         [&](const QueueKind& kind) { queue(kind, std::get<weir_queue_v1>(offer->table)); });
      case PluginType::remote:
        return remote(**library, adapt_remote(*library, *offer), std::get<weir_remote_v1>(offer->table));
      case PluginType::allocator: return with_placement(adapt_allocator(*library, *offer), try_allocator);
      case PluginType::placer: return with_placement(adapt_placer(*library, *offer), try_placer);
    }
  }

 private:
  void say(const char* what, std::string_view question, std::string_view text) const {
    std::string line;
    JsonWriter(line).begin_object().key(what).value(question).key("text").value(text).end_object();
    write_all(report_, line + "\n");
  }
  void asking(std::string_view question) const { say("asking", question, {}); }

  template <class Kind, class Ask>
  void with_kind(const Result<std::unique_ptr<Kind>>& kind, const Ask& ask) {
    if (!kind) return say("wrong", "table", kind.error().message);
    say("answer", "table", {});
    if (const auto sealed = seal_process(report_); !sealed) say("unsealed", {}, sealed.error().message);
    ask(**kind);
    refuses_unknown_key(**kind);
  }

  // Opens one for each question, with what it should take and with what it may refuse, and lets made up days
  // happen to it.
  template <class Kind, class Try>
  void with_placement(const Result<std::unique_ptr<Kind>>& kind, const Try& try_days) const {
    if (!kind) return say("wrong", "table", kind.error().message);
    say("answer", "table", {});
    if (const auto sealed = seal_process(report_); !sealed) say("unsealed", {}, sealed.error().message);
    const std::string document = request_.config.empty() ? "{}" : request_.config;
    const auto open = [&](std::string_view with) -> Result<std::string> {
      auto opened = (*kind)->open(with);
      if (!opened) return tl::unexpected(opened.error());
      opened->reset();
      return std::string("opened");
    };
    question("open", [&]() -> Result<std::string> {
      auto opened = open(document);
      if (!opened && opened.error().reason != Reason::bug)
        return fail(Reason::bug, "it refuses the document: " + opened.error().message);
      return opened;
    });
    question("open (empty document)", [&] { return open("{}"); });
    question("open (odd document)", [&] { return open(kOddPlacement); });
    question("days", [&]() -> Result<std::string> {
      auto opened = (*kind)->open(document);
      if (!opened) return tl::unexpected(opened.error());
      return try_days(**opened);
    });
  }

  // Asks twice. A refusal of what was made up here is as good an answer as any, if it is the same.
  template <class Ask>
  void question(const char* name, const Ask& ask) const {
    asking(name);
    std::string answers[2];
    for (auto& answer : answers) {
      const auto one = ask();
      if (!one && one.error().reason == Reason::bug) return say("wrong", name, one.error().message);
      answer = one ? text_of(*one) : "refused: " + one.error().message;
    }
    if (answers[0] != answers[1])
      return say("wrong", name, fmt::format("it answered \"{}\", and then \"{}\"", answers[0], answers[1]));
    say("answer", name, answers[0]);
  }

  // What the kind makes of a configuration; nothing if that is wrong.
  std::optional<std::string> resolve(const Kind& kind, bool takes_any) const {
    if (!takes_any) return "{}";
    if (request_.config.empty()) return std::nullopt;
    std::optional<std::string> resolved;
    question("resolve", [&]() -> Result<std::string> {
      const auto one = kind.resolve(request_.config);
      if (!one) return tl::unexpected(one.error());
      if (!one->complaints.empty())
        return fail(Reason::bug, "it refuses the configuration: " + one->complaints.front().message);
      resolved = one->document;
      return one->document + one->later;
    });
    return resolved;
  }

  void refuses_unknown_key(const Kind& kind) const {
    constexpr char kQuestion[] = "resolve (unknown key)";
    auto config = sdk::Json::parse(request_.config).value_or(sdk::Json::Object());
    config.object()->insert_or_assign(kUnknownKey, sdk::Json(true));
    question(kQuestion, [&]() -> Result<std::string> {
      const auto one = kind.resolve(config.dump());
      if (!one) return tl::unexpected(one.error());
      if (one->complaints.empty())
        return fail(Reason::bug, fmt::format("it takes the key \"{}\", which means nothing to it: a word "
                                             "that is misspelled would do nothing",
                                             kUnknownKey));
      return one->complaints.front().message;
    });
  }

  void element(const ElementKind& kind) const {
    const auto config = resolve(kind, true);
    if (config) question("plan", [&] { return kind.plan(*config, kPlaces); });
  }

  void source(const SourceKind& kind, const weir_source_v1& table) const {
    const auto config = resolve(kind, true);
    const auto ref = table.check_ref ? accepted_ref(kind) : std::string();
    if (!config) return;
    if (table.describe) question("describe", [&] { return kind.describe(*config); });
    SourceRequest request{"https://example.org/check.tar.gz", {}, "0", "check"};
    if (table.plan_track) question("plan_track", [&] { return kind.plan_track(*config, request); });
    if (table.parse_track)
      question("parse_track", [&] {
        return kind.parse_track(*config, {std::string(64, 'a'), std::string(40, 'a') + "\tHEAD\n"});
      });
    request.ref = ref;
    if (table.plan_fetch && !ref.empty())
      question("plan_fetch", [&] { return kind.plan_fetch(*config, request); });
    if (table.plan_fetch && ref.empty())
      say("skipped", "plan_fetch", "no ref that was made up (40 or 64 digits) was taken");
    if (table.plan_stage) question("plan_stage", [&] { return kind.plan_stage(*config, "sub", "0"); });
  }

  std::string accepted_ref(const SourceKind& kind) const {
    std::string accepted;
    for (const auto& ref : kRefs)
      question("check_ref", [&] {
        auto wrong = kind.wrong_ref(ref);
        if (wrong && wrong->empty() && accepted.empty()) accepted = ref;
        return wrong;
      });
    return accepted;
  }

  void queue(const QueueKind& kind, const weir_queue_v1& table) const {
    const auto config = resolve(kind, table.resolve != nullptr);
    if (!config) return;
    const QueueRequest request{*config, kElement};
    if (table.needs) question("needs", [&] { return kind.needs(request); });
    question("classify", [&] { return kind.classify(request); });
    question("plan", [&] { return kind.plan(request, kPlaces); });
    if (!table.on_result) return;
    JobResult result;
    result.ending = Ending::succeeded;
    question("on_result", [&] { return kind.on_result(request, result); });
    result.ending = Ending::failed;
    result.exit = 1;
    question("on_result", [&] { return kind.on_result(request, result); });
  }

  // Servers are not asked: no more is known of one than its address. Not sealed: remotes may have threads.
  void remote(const PluginLibrary& library, const Result<std::unique_ptr<RemoteKind>>& kind,
              const weir_remote_v1& table) const {
    if (!kind) return say("wrong", "table", kind.error().message);
    say("answer", "table", {});
    if (request_.config.empty())
      opens(library, table,
            sdk::Json(sdk::Json::Object{{"url", (*kind)->schemes().front() + "://example.org:443/"}}).dump());
    else opens(library, table, request_.config);
    question("open (empty document)", [&] { return open_and_close(library, table, "{}"); });
    question("open (wrong types)", [&] { return open_and_close(library, table, kRemoteOfWrongTypes); });
    question("open (odd values)", [&] { return open_and_close(library, table, kOddRemote); });
  }
  // An operation that never was has to be no trouble to it.
  void opens(const PluginLibrary& library, const weir_remote_v1& table, std::string_view document) const {
    asking("open");
    const auto opened = open_remote(library, table, document);
    if (!opened && opened.error().reason == Reason::bug) return say("wrong", "open", opened.error().message);
    if (!opened && request_.config.empty())
      return say("skipped", "open", "it has no example, and refused one: " + opened.error().message);
    if (!opened) return say("wrong", "open", "it refuses the configuration: " + opened.error().message);
    say("answer", "open", {});
    tells(library, "cancel (unknown operation)", [&] { table.cancel(*opened, 1); });
    tells(library, "close", [&] { table.close(*opened); });
  }
  static Result<weir_remote*> open_remote(const PluginLibrary& library, const weir_remote_v1& table,
                                          std::string_view document) {
    static constexpr weir_remote_sink kSink = {
        sizeof(weir_remote_sink), 0, nullptr,
        [](const weir_remote_sink*, std::uint64_t, const weir_remote_end*) {},
        [](const weir_remote_sink*, std::uint64_t, std::uint64_t) {}};
    weir_remote* remote = nullptr;
    const auto reply = ask(library, "open", Wants::verdict, [&](const weir_reply* to) {
      return table.open(view_of(document), &kSink, &remote, to);
    });
    if (!reply) return tl::unexpected(reply.error());
    if (reply->refused) return tl::unexpected(error_of(*reply));
    if (!remote) return fail(Reason::bug, "it made no remote, and said that all is well");
    return remote;
  }
  static Result<std::string> open_and_close(const PluginLibrary& library, const weir_remote_v1& table,
                                            std::string_view document) {
    const auto opened = open_remote(library, table, document);
    if (!opened) return tl::unexpected(opened.error());
    const auto closed = ask(library, "close", Wants::verdict,
                            [&](const weir_reply*) { return table.close(*opened), WEIR_OK; });
    if (!closed) return tl::unexpected(closed.error());
    return std::string("opened");
  }
  void tells(const PluginLibrary& library, const char* what, const std::function<void()>& call) const {
    asking(what);
    const auto reply = ask(library, what, Wants::verdict, [&](const weir_reply*) { return call(), WEIR_OK; });
    if (!reply) return say("wrong", what, reply.error().message);
    say("answer", what, {});
  }

  const InterviewRequest& request_;
  int report_;
};

}  // namespace

void interview(const InterviewRequest& request, int report) { Interview(request, report).run(); }

}  // namespace weir
