#include "core/cli/run_orders.h"

#include <charconv>

#include "core/base/json_value.h"

namespace weir::cli {

namespace {

std::string one_member(std::string_view name, std::string_view json) {
  std::string out;
  JsonWriter(out).begin_object().key(name).raw(json).end_object();
  return out;
}

Result<std::int64_t> count_in(const std::string& token, const JsonValue& value) {
  std::int64_t count = 0;
  const auto end = value.text.data() + value.text.size();
  const auto read = std::from_chars(value.text.data(), end, count);
  if (value.kind != JsonValue::Kind::number || read.ec != std::errc() || read.ptr != end || count < 0)
    return fail(Reason::usage,
                fmt::format("{} tokens are counted: {} is no such number", token, to_json(value)),
                "give a whole number from 0 on");
  return count;
}

std::string_view word_of(WorkerOrder order) {
  switch (order) {
    case WorkerOrder::drain: return "worker drain";
    case WorkerOrder::remove:
    case WorkerOrder::lose: return "worker remove";
    case WorkerOrder::bring_back: break;
  }
  return "worker return";
}

}  // namespace

std::string RunOrders::status() const {
  return status_json(parts_.scheduler.status(), parts_.run, parts_.project);
}

void RunOrders::note(std::string_view what, std::string_view name) {
  parts_.events.emit([&] { return event::Control{what, {name}, std::nullopt, {}}; });
}

// One job, or all if none is named.
Status RunOrders::order(std::string_view what, const std::string& job, Find find, LoopInput all,
                        LoopInput (*one)(JobId)) {
  if (!job.empty()) {
    const auto found = (parts_.scheduler.*find)(job);
    if (!found) return tl::unexpected(found.error());
    all = one(*found);
  }
  note(what, job);
  parts_.scheduler.door().post(std::move(all));
  return {};
}

Status RunOrders::cancel(const std::string& job) {
  return order("cancel", job, &Scheduler::find_job, input::CancelRun{},
               [](JobId one) -> LoopInput { return input::CancelJob{one}; });
}

Status RunOrders::suspend(const std::string& job) {
  return order("suspend", job, &Scheduler::find_running, input::SuspendAll{},
               [](JobId one) -> LoopInput { return input::SuspendJob{one}; });
}

Status RunOrders::resume(const std::string& job) {
  return order("resume", job, &Scheduler::find_running, input::ResumeAll{},
               [](JobId one) -> LoopInput { return input::ResumeJob{one}; });
}

// What failed or was cancelled in a run stays so to its end.
Status RunOrders::can_still_be_built(const std::vector<ElementId>& targets) const {
  const auto& flow = parts_.scheduler.flow();
  for (const auto target : targets) {
    const auto phase = flow.table().phase(target);
    if (phase != Phase::failed && phase != Phase::blocked && phase != Phase::cancelled) continue;
    return fail(Reason::usage,
                fmt::format("{} is {} in this run", flow.graph().name(target), to_string(phase)),
                "start another one for it");
  }
  return {};
}

// The run does not end while it is planned.
void RunOrders::submit(const std::string& requestor, const std::vector<std::string>& targets,
                       Submitted done) {
  if (!parts_.submissions)
    return done(fail(Reason::usage, "this run does not build", "only weir build takes in more targets"));
  if (parts_.scheduler.closing())
    return done(
        fail(Reason::usage, "this run is about to end and takes in nothing more", "start another one"));
  parts_.scheduler.door().post(input::Expect{+1});
  const auto who = requestor.empty() ? parts_.requestor : requestor;
  parts_.submissions->plan(targets, [this, who, done = std::move(done)](Result<cli::Submitted> planned) {
    auto& door = parts_.scheduler.door();
    if (planned)
      if (auto good = can_still_be_built(planned->targets); !good) planned = tl::unexpected(good.error());
    if (planned) door.post(input::Submit{who, planned->targets, planned->added});
    door.post(input::Expect{-1});
    if (!planned) return done(tl::unexpected(planned.error()));
    done(planned->targets.size());
  });
}

std::string RunOrders::settings() const {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object().key("tokens").begin_object();
  for (std::uint32_t i = 0; i < parts_.ledger.tokens(); ++i) {
    const TokenId token{static_cast<std::underlying_type_t<TokenId>>(i)};
    writer.key(parts_.ledger.name(token)).value(parts_.ledger.capacity(token));
  }
  writer.end_object();
  const auto of_allocator = parse_json(parts_.scheduler.placement_settings());
  for (std::size_t i = 0; of_allocator && i < of_allocator->items.size(); ++i) {
    writer.key(of_allocator->names[i]);
    of_allocator->items[i].write(writer);
  }
  writer.end_object();
  return out;
}

Status RunOrders::set(const std::string& name, const std::string& json) {
  if (const auto dot = name.find('.'); dot != std::string::npos && dot + 1 < name.size())
    return set(name.substr(0, dot), one_member(name.substr(dot + 1), json));
  return name == "tokens" ? set_tokens(json) : parts_.scheduler.set_placement(name, json);
}

// All or none of them.
Status RunOrders::set_tokens(const std::string& json) {
  const auto value = parse_json(json);
  if (!value) return tl::unexpected(value.error());
  if (value->kind != JsonValue::Kind::object)
    return fail(Reason::usage, "tokens are an object of names and counts",
                R"(for example tokens {"process": 4}, or tokens.process 4)");
  std::vector<input::SetTokens> changes;
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const auto& token = value->names[i];
    if (!parts_.ledger.find(token))
      return fail(Reason::usage, fmt::format("there is no token {}", token),
                  "weir ctl get tokens shows them");
    const auto count = count_in(token, value->items[i]);
    if (!count) return tl::unexpected(count.error());
    changes.push_back({token, *count});
  }
  for (auto& change : changes) parts_.scheduler.door().post(std::move(change));
  return {};
}

Status RunOrders::worker(const std::string& name, WorkerOrder order) {
  const auto found = parts_.scheduler.find_worker(name);
  if (!found) return tl::unexpected(found.error());
  note(word_of(order), name);
  parts_.scheduler.door().post(input::OrderWorker{*found, order});
  return {};
}

}  // namespace weir::cli
