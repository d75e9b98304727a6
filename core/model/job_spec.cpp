#include "core/model/job_spec.h"

#include <fmt/format.h>

#include "core/base/wire.h"

namespace weir {

namespace {

constexpr std::string_view kMagic = "weir-job";
constexpr std::uint32_t kVersion = 2;
// With what is said of its cores. Others are written as before, since bytes of jobs are part of keys.
constexpr std::uint32_t kVersionOfCores = 3;
// The same, with user namespaces.
constexpr std::uint32_t kVersionOfNamespaces = 4;

template <class... F>
struct Overload : F... {
  using F::operator()...;
};
template <class... F>
Overload(F...) -> Overload<F...>;

void put_texts(wire::Writer& out, const std::vector<std::string>& texts) {
  out.u32(static_cast<std::uint32_t>(texts.size()));
  for (const auto& text : texts) out.text(text);
}

std::vector<std::string> get_texts(wire::Reader& in) {
  std::vector<std::string> texts(in.count(sizeof(std::uint32_t)));
  for (auto& text : texts) text = in.text();
  return texts;
}

bool get_bool(wire::Reader& in) {
  const auto value = in.u8();
  if (value > 1) in.mark_bad();
  return value == 1;
}

template <class Enum>
Enum get_enum(wire::Reader& in, Enum last) {
  const auto value = in.u8();
  if (value > static_cast<std::uint8_t>(last)) in.mark_bad();
  return static_cast<Enum>(value);
}

void put_meanings(wire::Writer& out, const std::vector<ExitMeaning>& meanings) {
  out.u32(static_cast<std::uint32_t>(meanings.size()));
  for (const auto& meaning : meanings) {
    out.u8(static_cast<std::uint8_t>(meaning.exit));
    out.u8(static_cast<std::uint8_t>(meaning.failure));
  }
}

std::vector<ExitMeaning> get_meanings(wire::Reader& in) {
  std::vector<ExitMeaning> meanings(in.count(2));
  for (auto& meaning : meanings) {
    meaning.exit = in.u8();
    meaning.failure = get_enum(in, Failure::lost);
  }
  return meanings;
}

void put_step(wire::Writer& out, const Step& step) {
  out.u8(static_cast<std::uint8_t>(step.index()));
  std::visit(Overload{
                 [&](const RunStep& s) {
                   put_texts(out, s.argv);
                   out.text(s.directory);
                   put_meanings(out, s.meanings);
                 },
                 [&](const DownloadStep& s) {
                   out.text(s.url);
                   out.text(s.to);
                   out.text(s.sha256);
                   out.u8(s.executable);
                 },
                 [&](const UnpackStep& s) {
                   out.text(s.from);
                   out.text(s.to);
                   out.u32(s.strip);
                 },
                 [&](const CopyStep& s) {
                   out.text(s.from);
                   out.text(s.to);
                 },
                 [&](const WriteStep& s) {
                   out.text(s.to);
                   out.text(s.content);
                   out.u8(s.executable);
                 },
                 [&](const PullStep& s) { out.text(s.recipe); },
                 [&](const PushStep& s) { out.text(s.recipe); },
             },
             step);
}

// The members are read in the order of put_step; braces evaluate from left to right.
Step get_step(wire::Reader& in) {
  switch (in.u8()) {
    case 0: {
      auto argv = get_texts(in);
      return RunStep{std::move(argv), std::string(in.text()), get_meanings(in)};
    }
    case 1:
      return DownloadStep{std::string(in.text()), std::string(in.text()), std::string(in.text()),
                          get_bool(in)};
    case 2: return UnpackStep{std::string(in.text()), std::string(in.text()), in.u32()};
    case 3: return CopyStep{std::string(in.text()), std::string(in.text())};
    case 4: return WriteStep{std::string(in.text()), std::string(in.text()), get_bool(in)};
    case 5: return PullStep{std::string(in.text())};
    case 6: return PushStep{std::string(in.text())};
    default: in.mark_bad(); return RunStep{};
  }
}

void put_limits(wire::Writer& out, const Limits& limits) {
  out.i64(limits.timeout.count());
  out.i64(limits.stall.count());
  out.u32(limits.cores);
  out.u64(limits.memory);
}

Limits get_limits(wire::Reader& in) {
  Limits limits{Duration(in.i64()), Duration(in.i64()), in.u32(), in.u64()};
  if (limits.timeout.count() < 0 || limits.stall.count() < 0) in.mark_bad();
  return limits;
}

void get_environment(wire::Reader& in, JobSpec& spec) {
  spec.environment.resize(in.count(2 * sizeof(std::uint32_t)));
  const std::string* before = nullptr;
  for (auto& [name, value] : spec.environment) {
    name = in.text();
    value = in.text();
    if (before && !(*before < name)) in.mark_bad();  // not canonical
    before = &name;
  }
}

}  // namespace

std::string encode(const JobSpec& spec) {
  const bool shares = spec.sharing != CoreSharing::none || spec.most_cores != 0;
  wire::Writer out;
  out.text(kMagic);
  out.u32(spec.user_namespaces ? kVersionOfNamespaces : shares ? kVersionOfCores : kVersion);
  out.text(spec.label);
  out.u32(static_cast<std::uint32_t>(spec.steps.size()));
  for (const auto& step : spec.steps) put_step(out, step);
  out.u32(static_cast<std::uint32_t>(spec.inputs.size()));
  for (const auto& input : spec.inputs) {
    out.text(input.tree);
    out.text(input.mount);
    out.text(input.owner);
    out.u8(static_cast<std::uint8_t>(input.mode));
  }
  put_texts(out, spec.outputs);
  out.u32(static_cast<std::uint32_t>(spec.environment.size()));
  for (const auto& [name, value] : spec.environment) {
    out.text(name);
    out.text(value);
  }
  put_limits(out, spec.limits);
  out.u8(static_cast<std::uint8_t>(spec.sandbox));
  out.u32(spec.uid);
  out.u8(spec.network);
  if (shares || spec.user_namespaces) {
    out.u8(static_cast<std::uint8_t>(spec.sharing));
    out.u32(spec.most_cores);
  }
  return out.take();
}

Result<JobSpec> decode_job_spec(std::string_view bytes) {
  wire::Reader in(bytes);
  if (in.text() != kMagic) return fail(Reason::bug, "decoding a job: these bytes are not a job");
  const auto version = in.u32();
  if (version < kVersion || version > kVersionOfNamespaces)
    return fail(Reason::bug, fmt::format("decoding a job: format {} is not known, only {} to {}", version,
                                         kVersion, kVersionOfNamespaces));
  JobSpec spec;
  spec.label = in.text();
  spec.steps.resize(in.count());
  for (auto& step : spec.steps) step = get_step(in);
  spec.inputs.resize(in.count(2 * sizeof(std::uint32_t)));
  for (auto& input : spec.inputs) {
    input.tree = in.text();
    input.mount = in.text();
    input.owner = in.text();
    input.mode = get_enum(in, MountMode::private_copy);
  }
  spec.outputs = get_texts(in);
  get_environment(in, spec);
  spec.limits = get_limits(in);
  spec.sandbox = get_enum(in, SandboxRoot::staged);
  spec.uid = in.u32();
  spec.network = get_bool(in);
  spec.user_namespaces = version == kVersionOfNamespaces;
  if (version != kVersion) {
    spec.sharing = get_enum(in, CoreSharing::affinity);
    spec.most_cores = in.u32();
    if (version == kVersionOfCores && spec.sharing == CoreSharing::none && spec.most_cores == 0)
      in.mark_bad();  // not canonical
  }
  if (!in.ok() || !in.at_end()) return fail(Reason::bug, "decoding a job: damaged bytes");
  return spec;
}

}  // namespace weir
