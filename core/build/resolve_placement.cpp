#include "core/build/resolve_placement.h"

#include <fmt/format.h>

#include <charconv>

#include "core/base/json_writer.h"

namespace weir {

namespace {

// With every digit: "60", "0.25".
std::string in_seconds(Duration duration) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const auto whole = duration.count() / kSecond, rest = duration.count() % kSecond;
  if (rest == 0) return std::to_string(whole);
  auto text = fmt::format("{}.{:09}", whole, rest);
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

std::string allocator_document(const Project& project) {
  const auto& placement = project.placement;
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("allocate").value(placement.allocate).key("classes").begin_array();
  for (const auto& one : project.classes) {
    json.begin_object().key("load").value(one.load).key("name").value(one.name.text);
    if (!one.requestor.text.empty()) json.key("requestor").value(one.requestor.text);
    json.end_object();
  }
  json.end_array()
      .key("loans")
      .value(placement.loans)
      .key("rebalance-after")
      .raw(in_seconds(placement.rebalance_after));
  json.key("rebalance-threshold").value(placement.rebalance_threshold).end_object();
  return out;
}

std::string placer_document(const Placement& placement, std::uint64_t seed) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("cache-timeout").raw(in_seconds(placement.cache_timeout));
  json.key("deps-timeout").raw(in_seconds(placement.deps_timeout)).key("pick").value(placement.pick);
  json.key("place").value(placement.place).key("seed").value(seed);
  json.key("skip-empty-stages").value(placement.skip_empty_stages).end_object();
  return out;
}

// Where a value of the documents stands in weir.toml.
class Places {
 public:
  explicit Places(const Project& project) : project_(project) {}

  Place of_key(std::string_view key) const {
    for (const auto& [name, place] : project_.placement.places)
      if (name == key) return place;
    return {};
  }
  // "rebalance-after", "classes/1/load"; what is not there is told at `otherwise`.
  Place of(std::string_view path, Place otherwise) const {
    constexpr std::string_view kClasses = "classes/";
    if (path.starts_with(kClasses)) return of_class(path.substr(kClasses.size()), otherwise);
    const auto place = of_key(path);
    return place.line ? place : otherwise;
  }

 private:
  Place of_class(std::string_view path, Place otherwise) const {
    std::size_t position = 0;
    const auto read = std::from_chars(path.data(), path.data() + path.size(), position);
    if (read.ec != std::errc() || position >= project_.classes.size()) return otherwise;
    const auto& one = project_.classes[position];
    const auto member = path.substr(static_cast<std::size_t>(read.ptr - path.data()));
    const auto& place = member == "/load"        ? one.load_place
                        : member == "/requestor" ? one.requestor.place
                                                 : one.name.place;
    return place.line ? place : one.name.place;
  }

  const Project& project_;
};

struct Wanted {
  std::string_view type;  // for people
  std::string_view key;   // of [placement]
  const std::string& kind;
  const std::string& document;
};

template <class Opened, class Kind>
Result<std::unique_ptr<Opened>> open(const Wanted& wanted, const Result<const Kind*>& kind,
                                     const Places& places, Diagnostics& diagnostics) {
  const auto place = places.of_key(wanted.key);
  if (!kind) {
    if (kind.error().reason == Reason::bug) return tl::unexpected(kind.error());
    diagnostics.error(place, kind.error().message, kind.error().remedy);
    return nullptr;
  }
  std::vector<Complaint> complaints;
  auto opened = (*kind)->open(wanted.document, &complaints);
  if (opened || complaints.empty()) return opened;
  for (auto& complaint : complaints)
    diagnostics.error(places.of(complaint.path, place),
                      fmt::format("{} {}: {}", wanted.type, in_quotes(wanted.kind), complaint.message),
                      std::move(complaint.remedy));
  return nullptr;
}

}  // namespace

PlacementDocuments placement_documents(const Project& project, std::uint64_t seed) {
  return {allocator_document(project), placer_document(project.placement, seed)};
}

Result<ResolvedPlacement> resolve_placement(const Project& project, Kinds& kinds, Diagnostics& diagnostics,
                                            std::uint64_t seed) {
  const auto documents = placement_documents(project, seed);
  const auto& placement = project.placement;
  const Places places(project);
  auto allocator = open<Allocator>({"allocator", "allocate", placement.allocate, documents.allocator},
                                   kinds.allocator(placement.allocate), places, diagnostics);
  if (!allocator) return tl::unexpected(allocator.error());
  auto placer = open<Placer>({"placer", "place", placement.place, documents.placer},
                             kinds.placer(placement.place), places, diagnostics);
  if (!placer) return tl::unexpected(placer.error());
  return ResolvedPlacement{std::move(*allocator), std::move(*placer)};
}

}  // namespace weir
