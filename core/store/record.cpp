#include "core/store/record.h"

#include <fmt/format.h>

#include "core/base/wire.h"

namespace weir::store {

namespace {

constexpr std::string_view kRecordMagic = "weir-record";
constexpr std::string_view kAliasMagic = "weir-alias";
// Earlier ones do not say all names that they may be found under, so they may lie under a wrong one.
constexpr std::uint32_t kRecordVersion = 3;
constexpr std::uint32_t kAliasVersion = 2;

void put(wire::Writer& out, const Digest& digest) {
  out.text(bytes_of(digest.hash));
  out.u64(digest.size);
}

Sha256 get_hash(wire::Reader& in) {
  Sha256 hash{};
  const auto bytes = in.text();
  if (bytes.size() != hash.size()) in.mark_bad();
  else std::memcpy(hash.data(), bytes.data(), hash.size());
  return hash;
}

Digest get_digest(wire::Reader& in) {
  Digest digest;
  digest.hash = get_hash(in);
  digest.size = in.u64();
  return digest;
}

// Appends the hash of all before it: a torn or flipped record is a miss, not a wrong artifact.
std::string sealed(std::string bytes) {
  const auto seal = digest_of(bytes).hash;
  bytes.append(bytes_of(seal));
  return bytes;
}

ArtifactRecord get_record(wire::Reader& in) {
  ArtifactRecord record;
  record.output = get_digest(in);
  record.recipe = get_digest(in);
  record.log = get_digest(in);
  record.label = in.text();
  record.wall = Duration(in.i64());
  record.cpu = Duration(in.i64());
  record.peak_bytes = in.u64();
  record.cores = in.u32();
  return record;
}

// The bytes of a record or an alias, as they are.
struct Decoded {
  std::optional<ArtifactRecord> record;
  Key key;                   // of the record, or where the alias leads
  std::optional<Key> alias;  // the other name of the record, or the name of the alias
  std::string_view recipe;
  bool is_outdated = false;  // then it has nothing else
};

void put_alias(wire::Writer& out, const std::optional<Key>& alias) {
  out.u32(alias ? 1 : 0);
  if (alias) out.text(bytes_of(alias->hash));
}

Key get_key(wire::Reader& in) { return Key{get_hash(in)}; }

std::optional<Key> get_alias(wire::Reader& in) {
  return in.u32() != 0 ? std::optional(get_key(in)) : std::nullopt;
}

tl::unexpected<Error> refuse(std::string_view why) {
  return fail(Reason::system, fmt::format("decoding an artifact record: {}", why));
}

Result<Decoded> decode(std::string_view bytes) {
  constexpr auto kSeal = sizeof(Sha256);
  if (bytes.size() < kSeal) return refuse("damaged bytes");
  const auto body = bytes.substr(0, bytes.size() - kSeal);
  if (bytes_of(digest_of(body).hash) != bytes.substr(body.size())) return refuse("damaged bytes");
  wire::Reader in(body);
  const auto magic = in.text();
  if (magic != kRecordMagic && magic != kAliasMagic) return refuse("these bytes are not one");
  const auto version = in.u32();
  if (version < 1 || version > (magic == kRecordMagic ? kRecordVersion : kAliasVersion))
    return refuse(fmt::format("version {} is not known", version));
  Decoded value;
  value.is_outdated = version < (magic == kRecordMagic ? kRecordVersion : kAliasVersion);
  if (value.is_outdated) return value;
  if (magic == kRecordMagic) value.record = get_record(in);
  value.key = get_key(in);
  value.alias = get_alias(in);
  if (value.record) value.recipe = in.text();
  if (!in.ok() || !in.at_end()) return refuse("damaged bytes");
  if (value.record) value.record->recipe_inside = !value.recipe.empty();
  return value;
}

}  // namespace

std::string encode(const ArtifactRecord& record, const Key& key, std::string_view recipe,
                   const std::optional<Key>& alias) {
  wire::Writer out;
  out.text(kRecordMagic);
  out.u32(kRecordVersion);
  put(out, record.output);
  put(out, record.recipe);
  put(out, record.log);
  out.text(record.label);
  out.i64(record.wall.count());
  out.i64(record.cpu.count());
  out.u64(record.peak_bytes);
  out.u32(record.cores);
  out.text(bytes_of(key.hash));
  put_alias(out, alias);
  out.text(recipe);
  return sealed(out.take());
}

std::string encode_alias(const Key& name, const Key& target) {
  wire::Writer out;
  out.text(kAliasMagic);
  out.u32(kAliasVersion);
  out.text(bytes_of(target.hash));
  put_alias(out, name);
  return sealed(out.take());
}

Result<RecordOrAlias> decode_record(std::string_view bytes, const Key& name) {
  auto found = decode(bytes);
  if (!found) return tl::unexpected(found.error());
  if (found->is_outdated) return Key{};
  if (found->record && found->key == name) return std::move(*found->record);
  if (found->alias != name) return refuse("it is of another key");
  return found->key;
}

std::optional<std::string> recipe_in(std::string_view bytes) {
  const auto found = decode(bytes);
  if (!found || !found->record || found->recipe.empty()) return std::nullopt;
  return std::string(found->recipe);
}

}  // namespace weir::store
