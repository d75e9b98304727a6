#include "plugins/host/examined_library.h"

#include <fmt/format.h>

#include <algorithm>

#include <weir/json.hpp>

#include "core/base/fd.h"
#include "core/base/json_writer.h"

namespace weir {

namespace {

std::string to_json(const Error& error) {
  std::string out;
  JsonWriter(out)
      .begin_object()
      .key("error")
      .value(error.message)
      .key("remedy")
      .value(error.remedy)
      .end_object();
  return out;
}

std::string to_json(const PluginLibrary& library) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().key("name").value(library.name).key("version").value(library.version);
  json.key("abi")
      .value(fmt::format("{}.{}", library.abi_major, library.abi_minor))
      .key("kinds")
      .begin_array();
  for (const auto& offer : library.offers) {
    json.begin_object().key("type").value(static_cast<int>(offer.type)).key("kind").value(offer.kind);
    json.key("version").value(offer.version).key("example").value(offer.example).end_object();
  }
  json.end_array().key("unknown").begin_array();
  for (const auto& type : library.unknown) json.value(type);
  json.end_array().end_object();
  return out;
}

ExaminedLibrary from_json(const sdk::Json& json) {
  ExaminedLibrary library{
      json.text("name"), json.text("version"), json.text("abi"), {}, json.texts("unknown")};
  for (const auto& one : *json.find("kinds")->array())
    library.kinds.push_back({static_cast<PluginType>(one.integer("type")), one.text("kind"),
                             static_cast<std::uint32_t>(one.integer("version")), one.text("example")});
  return library;
}

}  // namespace

Result<ExaminedLibrary> examine_library(const std::string& file, std::chrono::seconds limit,
                                        const std::string& from) {
  const auto report = in_child(limit, [&](int to) {
    const auto library = PluginLibrary::load(file, from);
    write_all(to, library ? to_json(**library) : to_json(library.error()));
  });
  if (!report.finished())
    return fail(Reason::bug,
                fmt::format("the plugin {}: it {} when it was loaded", file, to_text(report, limit)),
                "this is a bug of the plugin");
  const auto json = sdk::Json::parse(report.text);
  if (!json || !json->object())
    return fail(Reason::bug, fmt::format("the plugin {}: it wrote into what weir wrote", file),
                "this is a bug of the plugin");
  if (json->find("error")) return fail(Reason::project, json->text("error"), json->text("remedy"));
  return from_json(*json);
}

}  // namespace weir
