#include "core/build/last_built.h"

#include <algorithm>

#include "core/base/wire.h"
#include "core/build/sealed_file.h"

namespace weir {

namespace {

constexpr std::string_view kLastBuiltMagic = "weir-last-built";
constexpr std::uint32_t kLastBuiltVersion = 1;

SealedFile last_built_file(const std::string& folder) { return SealedFile(folder + "/last-built"); }

std::string last_built_head() {
  wire::Writer out;
  out.text(kLastBuiltMagic);
  out.u32(kLastBuiltVersion);
  return out.take();
}

std::string_view bytes_of(const store::Sha256& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}

store::Sha256 get_hash(wire::Reader& in) {
  store::Sha256 hash{};
  const auto bytes = in.text();
  if (bytes.size() != hash.size()) in.mark_bad();
  else std::copy(bytes.begin(), bytes.end(), hash.begin());
  return hash;
}

void put(wire::Writer& out, const store::Digest& digest) {
  out.text(bytes_of(digest.hash));
  out.u64(digest.size);
}

store::Digest get_digest(wire::Reader& in) {
  store::Digest digest;
  digest.hash = get_hash(in);
  digest.size = in.u64();
  return digest;
}

void put(wire::Writer& out, const TextMap& texts) {
  out.u32(static_cast<std::uint32_t>(texts.size()));
  for (const auto& [name, text] : texts) {
    out.text(name);
    out.text(text);
  }
}

TextMap get_texts(wire::Reader& in) {
  TextMap texts;
  for (auto left = in.count(8); left > 0; --left) {
    const auto name = in.text();
    texts.emplace_back(name, in.text());
  }
  return texts;
}

void put(wire::Writer& out, const KnownArtifact& artifact) {
  out.text(bytes_of(artifact.key.hash));
  put(out, artifact.recipe);
  put(out, artifact.output);
  out.u64(artifact.built);
  out.u64(artifact.used);
  out.u8(static_cast<std::uint8_t>(artifact.occasion));
  put(out, artifact.variables);
}

KnownArtifact get_artifact(wire::Reader& in) {
  KnownArtifact artifact;
  artifact.key.hash = get_hash(in);
  artifact.recipe = get_digest(in);
  artifact.output = get_digest(in);
  artifact.built = in.u64();
  artifact.used = in.u64();
  const auto occasion = in.u8();
  if (occasion > static_cast<std::uint8_t>(Occasion::gone)) in.mark_bad();
  artifact.occasion = static_cast<Occasion>(occasion);
  artifact.variables = get_texts(in);
  return artifact;
}

std::string bytes_of(const std::vector<LastBuiltElement>& elements) {
  wire::Writer out;
  out.u32(static_cast<std::uint32_t>(elements.size()));
  for (const auto& element : elements) {
    out.text(element.name);
    put(out, element.newest);
    out.u8(element.before.has_value());
    if (element.before) put(out, *element.before);
  }
  return last_built_head() + out.take();
}

bool by_name(const LastBuiltElement& a, const LastBuiltElement& b) { return a.name < b.name; }

// Nothing: not ours, or of another version.
std::optional<std::vector<LastBuiltElement>> decode(std::string_view bytes) {
  wire::Reader in(bytes);
  if (in.text() != kLastBuiltMagic || in.u32() != kLastBuiltVersion) return std::nullopt;
  std::vector<LastBuiltElement> elements;
  for (auto left = in.count(100); left > 0 && in.ok(); --left) {
    LastBuiltElement element{std::string(in.text()), get_artifact(in), std::nullopt};
    if (in.u8()) element.before = get_artifact(in);
    elements.push_back(std::move(element));
  }
  if (!in.ok() || !in.at_end() || !std::is_sorted(elements.begin(), elements.end(), by_name))
    return std::nullopt;
  return elements;
}

std::vector<LastBuiltElement> read(const std::string& folder) {
  const auto bytes = last_built_file(folder).read();
  return bytes ? decode(*bytes).value_or(std::vector<LastBuiltElement>{}) : std::vector<LastBuiltElement>{};
}

}  // namespace

LastBuilt LastBuilt::load(const std::string& folder) {
  LastBuilt all;
  all.elements_ = read(folder);
  for (const auto& change : last_built_file(folder).appended())
    if (const auto notes = BuiltNotes::decode(change)) notes->apply_all(all.elements_);
  return all;
}

const LastBuiltElement* LastBuilt::find(std::string_view element) const {
  const auto at = std::lower_bound(elements_.begin(), elements_.end(), element,
                                   [](const auto& one, std::string_view name) { return one.name < name; });
  return at != elements_.end() && at->name == element ? &*at : nullptr;
}

void BuiltNotes::add(std::string element, const SeenArtifact& seen, TextMap variables) {
  notes_.push_back({std::move(element), seen, std::move(variables)});
}

void BuiltNotes::apply(const Note& note, LastBuiltElement& element) const {
  const auto& seen = note.seen;
  auto known = element.newest;
  if (known.key == seen.key) {
    // One that was used before this run and was built again had been asked for, or was gone. Else the other
    // of two weirs that wanted it at the same time was here first, with what this one built.
    if (seen.built && known.used < run_) known.occasion = seen.forced ? Occasion::forced : Occasion::gone;
  } else {
    // Back at the one before: it is known who built it.
    known = element.before && element.before->key == seen.key ? *element.before : KnownArtifact{};
    known.used = run_;
    if (seen.built) known.occasion = Occasion::changed;
    if (element.newest.used) element.before = std::move(element.newest);
  }
  if (seen.built) known.built = run_;
  known.key = seen.key;
  known.recipe = seen.recipe;
  known.output = seen.output;
  known.variables = note.variables;
  element.newest = std::move(known);
}

// Whether something changed. New ones go to the end first: one sort is cheaper than many insertions.
bool BuiltNotes::apply_all(std::vector<LastBuiltElement>& elements) const {
  bool changed = false;
  const auto known = static_cast<std::ptrdiff_t>(elements.size());
  for (const auto& note : notes_) {
    LastBuiltElement wanted{note.element, {}, std::nullopt};
    const auto end = elements.begin() + known;
    const auto at = std::lower_bound(elements.begin(), end, wanted, by_name);
    if (at == end || at->name != note.element) {
      apply(note, wanted);
      elements.push_back(std::move(wanted));
      changed = true;
      continue;
    }
    wanted = *at;
    apply(note, wanted);
    if (wanted == *at) continue;
    *at = std::move(wanted);
    changed = true;
  }
  std::sort(elements.begin() + known, elements.end(), by_name);
  std::inplace_merge(elements.begin(), elements.begin() + known, elements.end(), by_name);
  return changed;
}

std::string BuiltNotes::encode() const {
  wire::Writer out;
  out.u64(run_);
  out.u32(static_cast<std::uint32_t>(notes_.size()));
  for (const auto& [element, seen, variables] : notes_) {
    out.text(element);
    out.text(bytes_of(seen.key.hash));
    put(out, seen.recipe);
    put(out, seen.output);
    out.u8(seen.built);
    out.u8(seen.forced);
    put(out, variables);
  }
  return out.take();
}

std::optional<BuiltNotes> BuiltNotes::decode(std::string_view bytes) {
  wire::Reader in(bytes);
  BuiltNotes notes(in.u64());
  for (auto left = in.count(100); left > 0 && in.ok(); --left) {
    Note note{std::string(in.text()), {}, {}};
    note.seen.key.hash = get_hash(in);
    note.seen.recipe = get_digest(in);
    note.seen.output = get_digest(in);
    note.seen.built = in.u8() != 0;
    note.seen.forced = in.u8() != 0;
    note.variables = get_texts(in);
    notes.notes_.push_back(std::move(note));
  }
  if (!in.ok() || !in.at_end()) return std::nullopt;
  return notes;
}

Status BuiltNotes::save(const std::string& folder) const {
  if (notes_.empty()) return {};
  const auto alone = last_built_file(folder).lock();
  if (!alone) return tl::unexpected(alone.error());
  if (auto change = encode(); last_built_file(folder).is_worth_appending(change.size(), last_built_head()))
    return last_built_file(folder).append(change);
  auto elements = LastBuilt::load(folder).elements_;
  if (!apply_all(elements)) return {};
  return last_built_file(folder).write(bytes_of(elements));
}

}  // namespace weir
