#include "core/remote/action_result.h"

#include <charconv>
#include <optional>

#include "core/base/json_value.h"
#include "core/store/digest_message.h"
#include "core/store/proto_wire.h"

namespace weir {

namespace {

using store::proto::Field;
using store::proto::Fields;
using store::proto::put_bytes;

// Numbers of fields in the public definition.
constexpr unsigned kOutputFiles = 2, kOutputDirectories = 3, kStdoutRaw = 5;
constexpr unsigned kPath = 1, kFileDigest = 2, kTreeDigest = 3;
constexpr std::string_view kOutput = "output", kRecipe = "recipe", kLog = "log";

std::string node(std::string_view path, unsigned field, const store::Digest& digest) {
  std::string out;
  put_bytes(out, kPath, path);
  put_bytes(out, field, store::encode_digest(digest));
  return out;
}

struct Node {
  std::string_view path;
  std::optional<store::Digest> digest;
};

bool read_node(std::string_view bytes, unsigned digest_field, Node& node) {
  Fields fields(bytes);
  for (Field field; fields.next(field);) {
    if (field.number == kPath) node.path = field.bytes;
    if (field.number != digest_field) continue;
    store::Digest digest;
    if (!store::read_digest(field.bytes, digest)) return false;
    node.digest = digest;
  }
  return fields.ok();
}

std::uint64_t number(const JsonValue& facts, std::string_view name) {
  const auto* value = facts.member(name);
  std::uint64_t result = 0;
  if (value && value->kind == JsonValue::Kind::number)
    std::from_chars(value->text.data(), value->text.data() + value->text.size(), result);
  return result;
}

Duration microseconds(std::uint64_t count) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 50;  // 35 years
  return std::chrono::microseconds(static_cast<std::int64_t>(std::min(count, kMost)));
}

}  // namespace

std::string encode_action_result(const SharedArtifact& artifact) {
  std::string out;
  put_bytes(out, kOutputFiles, node(kLog, kFileDigest, artifact.log));
  put_bytes(out, kOutputFiles, node(kRecipe, kFileDigest, artifact.recipe));
  put_bytes(out, kOutputDirectories, node(kOutput, kTreeDigest, artifact.tree));
  put_bytes(out, kStdoutRaw, artifact.facts);
  return out;
}

Result<SharedArtifact> decode_action_result(std::string_view bytes) {
  std::optional<store::Digest> tree, recipe, log;
  SharedArtifact artifact;
  Fields fields(bytes);
  for (Field field; fields.next(field);) {
    if (field.number == kStdoutRaw) artifact.facts = field.bytes;
    if (field.number != kOutputFiles && field.number != kOutputDirectories) continue;
    const bool directory = field.number == kOutputDirectories;
    Node one;
    if (!read_node(field.bytes, directory ? kTreeDigest : kFileDigest, one))
      return fail(Reason::network, "the record is damaged");
    if (directory && one.path == kOutput) tree = one.digest;
    if (!directory && one.path == kRecipe) recipe = one.digest;
    if (!directory && one.path == kLog) log = one.digest;
  }
  if (!fields.ok()) return fail(Reason::network, "the record is damaged");
  if (!tree || !recipe || !log) return fail(Reason::network, "the record is not one of weir's");
  artifact.tree = *tree;
  artifact.recipe = *recipe;
  artifact.log = *log;
  return artifact;
}

std::string facts_of(const store::ArtifactRecord& record) {
  const auto us = [](Duration time) {
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(time).count());
  };
  std::string out;
  JsonWriter(out)
      .begin_object()
      .key("cores")
      .value(static_cast<std::uint64_t>(record.cores))
      .key("cpu_us")
      .value(us(record.cpu))
      .key("label")
      .value(record.label)
      .key("peak_bytes")
      .value(record.peak_bytes)
      .key("wall_us")
      .value(us(record.wall))
      .end_object();
  return out;
}

void apply_facts(std::string_view facts, store::ArtifactRecord& record) {
  const auto all = parse_json(facts);
  if (!all || all->kind != JsonValue::Kind::object) return;
  record.cores = static_cast<std::uint32_t>(std::min<std::uint64_t>(number(*all, "cores"), 1 << 20));
  record.cpu = microseconds(number(*all, "cpu_us"));
  record.peak_bytes = number(*all, "peak_bytes");
  record.wall = microseconds(number(*all, "wall_us"));
}

}  // namespace weir
