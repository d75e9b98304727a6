#include "core/project/read_project.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/project/credentials.h"
#include "core/project/read_element.h"

namespace weir {

namespace {

// A section that may be absent: an absent one reads as an empty table.
struct Section {
  Section(TableReader& parent, std::string_view key)
      : reader_(pick(parent, key), fmt::format("[{}]", key), parent.diagnostics()) {}
  ~Section() { reader_.finish(); }
  TableReader* operator->() { return &reader_; }
  TableReader& operator*() { return reader_; }

 private:
  TomlValue& pick(TableReader& parent, std::string_view key) {
    auto* value = parent.take_table(key);
    return value == nullptr ? absent_ : *value;
  }
  TomlValue absent_;
  TableReader reader_;
};

bool read_format(TableReader& reader) {
  const auto* value = reader.take("weir");
  if (value == nullptr) {
    reader.diagnostics().error({reader.place().file, 0, 0}, "no format: the file has no line `weir = 1`",
                               fmt::format("add `weir = {}` as the first line", kProjectFormat));
    return true;
  }
  const auto* format = value->integer();
  if (format == nullptr || *format < 1) {
    reader.diagnostics().error(value->place, "weir must be the number of a format",
                               fmt::format("weir = {}", kProjectFormat));
    return true;
  }
  if (*format <= kProjectFormat) return true;
  reader.diagnostics().error(value->place,
                             fmt::format("this project has format {}, and this weir knows formats up to {}",
                                         *format, kProjectFormat),
                             "use a newer weir");
  return false;
}

void read_head(TableReader& reader, Project& project) {
  Section section(reader, "project");
  PlacedText folder{project.elements_folder, {}};
  section->text("name", project.name);
  section->texts("default", project.default_targets);
  section->text("elements", folder);
  const auto& path = folder.text;
  if (path.empty() || path.front() == '/' || path == ".." || path.starts_with("../") ||
      path.find("/..") != path.npos)
    section->diagnostics().error(folder.place, "elements of [project] must be a folder inside the project");
  else project.elements_folder = path;
}

void read_sandbox(TableReader& reader, Sandbox& sandbox) {
  Section section(reader, "sandbox");
  constexpr std::pair<std::string_view, SandboxRoot> kRoots[] = {
      {"host", SandboxRoot::host}, {"staged", SandboxRoot::staged}, {"none", SandboxRoot::none}};
  section->choice<SandboxRoot>("root", kRoots, sandbox.root);
  if (const auto* value = section->take("root")) sandbox.root_place = value->place;
  std::vector<PlacedText> tools;
  section->texts("host-tools", tools);
  for (auto& tool : tools) {
    if (tool.text.empty() || tool.text.find('/') != tool.text.npos)
      section->diagnostics().error(
          tool.place, fmt::format("host-tools of [sandbox] cannot hold {}", in_quotes(tool.text)),
          "write the name of a program alone: \"python3\"");
    else sandbox.host_tools.push_back(std::move(tool.text));
  }
  section->count("uid", sandbox.uid, 0, 65534);
  section->boolean("user-namespaces", sandbox.user_namespaces);
  if (const auto* value = section->take("user-namespaces")) sandbox.user_namespaces_place = value->place;
}

void read_on_error(TableReader& reader, Project& project) {
  Section section(reader, "on-error");
  constexpr std::pair<std::string_view, OnError> kPolicies[] = {
      {"quit", OnError::quit}, {"continue", OnError::go_on}, {"terminate", OnError::terminate}};
  section->choice<OnError>("policy", kPolicies, project.on_error);
  if (const auto* value = section->take("policy")) project.on_error_place = value->place;
}

void read_failures(TableReader& reader, Project& project) {
  {
    Section section(reader, "retry");
    read_retry(*section, project.retry);
  }
  Section section(reader, "breaker");
  std::uint32_t failures = project.breaker.failures;
  section->count("failures", failures, 1);
  project.breaker.failures = failures;
  section->duration("cooldown", project.breaker.cooldown);
}

void read_known(TableReader& reader, std::string_view key, std::span<const std::string_view> known,
                std::string& out) {
  const auto* value = reader.take(key);
  if (value == nullptr) return;
  if (value->text() != nullptr && std::find(known.begin(), known.end(), *value->text()) != known.end())
    out = *value->text();
  else reader.wrong_choice(key, *value, known);
}

void read_placement(TableReader& reader, Placement& placement) {
  constexpr std::string_view kPicks[] = {"cache-first", "random"};
  constexpr std::string_view kLoans[] = {"plain", "accounted"};
  constexpr const char* kPlacementKeys[] = {"allocate",
                                            "place",
                                            "pick",
                                            "loans",
                                            "cache-timeout",
                                            "deps-timeout",
                                            "skip-empty-stages",
                                            "rebalance-threshold",
                                            "rebalance-after"};
  Section section(reader, "placement");
  for (const auto* key : kPlacementKeys)
    if (const auto* value = section->take(key)) placement.places.emplace_back(key, value->place);
  section->text("allocate", placement.allocate);  // kinds of plugins: looked for when they are resolved
  section->text("place", placement.place);
  read_known(*section, "pick", kPicks, placement.pick);
  read_known(*section, "loans", kLoans, placement.loans);
  section->duration("cache-timeout", placement.cache_timeout);
  section->duration("deps-timeout", placement.deps_timeout);
  section->boolean("skip-empty-stages", placement.skip_empty_stages);
  section->number("rebalance-threshold", placement.rebalance_threshold);
  section->duration("rebalance-after", placement.rebalance_after);
}

// Each table of an array of tables, with names that are unique in it.
template <class Read>
void read_named_list(TableReader& reader, std::string_view key, Read read) {
  auto* items = reader.take_array(key);
  if (items == nullptr) return;
  std::set<std::string> seen;
  for (auto& item : *items) {
    TableReader inner(item, fmt::format("[[{}]]", key), reader.diagnostics());
    const PlacedText name = read(inner);
    inner.finish();
    if (!name.text.empty() && !seen.insert(name.text).second)
      reader.diagnostics().error(name.place,
                                 fmt::format("a second {} with the name {}", key, in_quotes(name.text)));
  }
}

void read_classes(TableReader& reader, Project& project) {
  read_named_list(reader, "class", [&](TableReader& inner) {
    WorkClass work;
    inner.required_text("name", work.name);
    if (const auto* value = inner.take("load")) work.load_place = value->place;
    inner.number("load", work.load);
    inner.text("requestor", work.requestor);
    project.classes.push_back(work);
    return work.name;
  });
  read_named_list(reader, "worker", [&](TableReader& inner) {
    WorkerConfig worker;
    inner.required_text("name", worker.name);
    inner.count("slots", worker.slots, 1, 1u << 20);
    project.workers.push_back(worker);
    return worker.name;
  });
}

void read_pipeline(TableReader& reader, std::vector<PlacedText>& queues) {
  Section section(reader, "pipeline");
  std::vector<PlacedText> given;
  section->texts("queues", given);
  if (given.empty()) return;
  queues.clear();
  for (auto& queue : given) {
    const auto same = [&](const PlacedText& other) { return other.text == queue.text; };
    if (std::any_of(queues.begin(), queues.end(), same))
      section->diagnostics().error(queue.place,
                                   fmt::format("queue {} is listed twice", in_quotes(queue.text)));
    queues.push_back(std::move(queue));
  }
}

void read_queue_configs(TableReader& reader, std::vector<QueueConfig>& configs) {
  auto* tables = reader.take_table("queue");
  if (!tables) return;
  for (auto& member : *tables->table()) {
    if (!member.value.table()) {
      reader.diagnostics().error(member.key_place, fmt::format("queue.{} must be a table", member.key),
                                 "write [queue.NAME]");
      continue;
    }
    configs.push_back({{member.key, member.key_place}, std::move(member.value)});
  }
}

void read_rest(TableReader& reader, Project& project) {
  {
    Section section(reader, "plugins");
    section->texts("path", project.plugin_path);
  }
  Section section(reader, "hooks");
  section->texts("on-start", project.hooks.on_start);
  section->texts("on-complete", project.hooks.on_complete);
  section->texts("on-run-end", project.hooks.on_run_end);
}

// "/weir", "/opt/x": as it is written in what is built, so there is one way to write it, and none of the
// places that a job has for itself.
void check_prefix(std::string_view prefix, Place place, Diagnostics& diagnostics) {
  constexpr std::string_view kOwn[] = {"build", "install", "source", "proc", "dev", "tmp"};
  if (prefix.size() < 2 || prefix.front() != '/')
    return diagnostics.error(place, "prefix must be an absolute path that is not /");
  for (std::size_t at = 1; at <= prefix.size();) {
    const auto end = std::min(prefix.find('/', at), prefix.size());
    const auto part = prefix.substr(at, end - at);
    if (part.empty() || part == "." || part == "..")
      return diagnostics.error(place,
                               fmt::format("the prefix {} has an empty part, . or ..", in_quotes(prefix)),
                               "write it as /weir or /opt/name");
    if (at == 1 && std::find(std::begin(kOwn), std::end(kOwn), part) != std::end(kOwn))
      return diagnostics.error(place, fmt::format("/{} is a place that every job has for itself", part),
                               "choose another prefix");
    at = end + 1;
  }
}

// The variables every element can use, before anything of the user.
void set_variables(TableReader& reader, Project& project, Variables& variables) {
  variables.set("prefix", {project.prefix, {}});
  variables.set("project", {project.name, {}});
  // %{element} has no meaning here, but a variable that uses it has one in every element.
  variables.set("element", {"element", {}});
  variables.read(reader, "variables");
  variables.check(reader.diagnostics());
  const auto* prefix = variables.find("prefix");
  project.prefix = prefix->text;
  variables.expand(project.prefix, prefix->place, reader.diagnostics());
  project.prefix_place = prefix->place;
  check_prefix(project.prefix, prefix->place, reader.diagnostics());
}

void read_env(TableReader& reader, const Variables& variables, Project& project) {
  auto* value = reader.take_table("env");
  Variables::Used used;
  if (value != nullptr) variables.expand(*value, reader.diagnostics(), &used);
  project.env_variables = {used.begin(), used.end()};
  reader.text_map("env", project.env);
  check_environment(project.env, value, reader.diagnostics());
}

std::optional<Amount> parse_amount(const TomlValue& value, bool is_bytes) {
  if (const auto* integer = value.integer())
    return *integer >= 0 ? std::optional(Amount{false, static_cast<std::uint64_t>(*integer)}) : std::nullopt;
  if (value.text() == nullptr) return std::nullopt;
  if (*value.text() == "auto") return Amount{};
  const auto bytes = is_bytes ? parse_bytes(*value.text()) : std::nullopt;
  return bytes ? std::optional(Amount{false, *bytes}) : std::nullopt;
}

// A project that could name a variable could have any secret of the user sent to any server.
void refuse_token(TableReader& remote, std::string_view url) {
  const auto* token = remote.take("token-env");
  if (token == nullptr) return;
  const auto server = server_of(url);
  const auto host = !server                   ? "HOST"
                    : server->is_default_port ? server->host
                                              : fmt::format("{}:{}", server->host, server->port);
  remote.diagnostics().error(
      token->place,
      fmt::format("token-env is not allowed in {}: only [[credential]] may name a secret", remote.where()),
      fmt::format("remove it, and add this to ~/.config/weir/config.toml:\n"
                  "    [[credential]]\n    host = \"{}\"\n    token-env = \"NAME\"",
                  host));
}

}  // namespace

std::vector<Resource> default_resources() {
  return {{"cache", {false, 1}, {}},
          {"download", {false, 10}, {}},
          {"memory", {}, {}},
          {"process", {}, {}},
          {"upload", {false, 4}, {}}};
}

void read_resources(TableReader& reader, std::string_view key, std::vector<Resource>& resources) {
  auto* value = reader.take_table(key);
  if (value == nullptr) return;
  for (const auto& member : *value->table()) {
    const auto amount = parse_amount(member.value, member.key == "memory");
    if (!amount) {
      reader.diagnostics().error(
          member.value.place, fmt::format("resource {} is no amount", in_quotes(member.key)),
          member.key == "memory" ? "\"auto\" or a size: \"8G\"" : "\"auto\" or a number");
      continue;
    }
    const auto at = std::lower_bound(resources.begin(), resources.end(), member.key,
                                     [](const Resource& r, const std::string& n) { return r.name < n; });
    if (at != resources.end() && at->name == member.key) *at = {member.key, *amount, member.value.place};
    else resources.insert(at, {member.key, *amount, member.value.place});
  }
}

void read_remotes(TableReader& reader, std::string_view key, std::vector<Remote>& remotes) {
  auto* items = reader.take_array(key);
  if (items == nullptr) return;
  for (auto& item : *items) {
    Remote remote;
    remote.place = item.place;
    TableReader inner(item, fmt::format("[[{}]]", key), reader.diagnostics());
    PlacedText url;
    inner.required_text("url", url);
    remote.url = url.text;
    if (const auto* push = inner.take("push")) {
      if (push->boolean() != nullptr) remote.push = *push->boolean() ? Push::yes : Push::no;
      else if (push->text() != nullptr && *push->text() == "required") remote.push = Push::required;
      else inner.wrong_type("push", *push, "true, false or \"required\"");
    }
    inner.duration("connect-timeout", remote.connect_timeout);
    refuse_token(inner, url.text);
    inner.text("ca", remote.ca);
    inner.finish();
    if (!remote.url.empty()) remotes.push_back(std::move(remote));
  }
}

bool read_project(TomlValue& document, Project& project, Variables& variables, Diagnostics& diagnostics) {
  TableReader reader(document, "weir.toml", diagnostics);
  if (!read_format(reader)) return false;
  project.resources = default_resources();
  read_head(reader, project);
  set_variables(reader, project, variables);
  read_env(reader, variables, project);
  read_resources(reader, "resources", project.resources);
  read_pipeline(reader, project.queues);
  read_queue_configs(reader, project.queue_configs);
  read_sandbox(reader, project.sandbox);
  read_on_error(reader, project);
  read_failures(reader, project);
  read_remotes(reader, "remote", project.remotes);
  read_placement(reader, project.placement);
  read_classes(reader, project);
  read_rest(reader, project);
  reader.known("element");
  reader.finish();
  return true;
}

}  // namespace weir
