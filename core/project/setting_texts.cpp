#include "core/project/setting_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "core/base/text.h"

namespace weir {

namespace {

template <class E>
using Names = std::vector<std::pair<std::string_view, E>>;

const Names<OnError> kOnError = {
    {"quit", OnError::quit}, {"continue", OnError::go_on}, {"terminate", OnError::terminate}};
const Names<SandboxRoot> kSandbox = {
    {"host", SandboxRoot::host}, {"staged", SandboxRoot::staged}, {"none", SandboxRoot::none}};
const Names<Color> kColor = {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}};
const Names<bool> kYesOrNo = {{"yes", true}, {"no", false},  {"1", true},
                              {"0", false},  {"true", true}, {"false", false}};
const Names<bool> kTrust = {{"always", true}, {"1", true}, {"never", false}, {"0", false}};
const Names<UiMode> kUi = {
    {"auto", UiMode::automatic}, {"terminal", UiMode::terminal}, {"plain", UiMode::plain}};

template <class E>
std::string_view name_of(const Names<E>& names, E value) {
  for (const auto& [name, meaning] : names)
    if (meaning == value) return name;
  return "";
}

Error wrong(std::string message, std::string remedy = {}) {
  return {Reason::usage, std::move(message), std::move(remedy)};
}

template <class E>
std::optional<Error> choose(const Names<E>& names, std::string_view text, Setting<E>& out, Origin origin) {
  std::vector<std::string_view> all;
  std::string list;
  for (const auto& [name, meaning] : names) {
    if (name == text) {
      out = {meaning, std::move(origin)};
      return std::nullopt;
    }
    all.push_back(name);
    list += fmt::format("{}\"{}\"", list.empty() ? "" : ", ", name);
  }
  return wrong(fmt::format("{} is none of {}", in_quotes(text), list), suggestion(text, all));
}

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<Error> set_resource(Settings& settings, std::string_view resource, std::string_view text,
                                  Origin origin) {
  const bool is_memory = resource == "memory";
  const auto value = is_memory ? parse_bytes(text) : whole_number(text);
  const bool is_zero_process = resource == "process" && value && *value == 0;
  if (text != "auto" && (!value || is_zero_process))
    return wrong(fmt::format("{} is no {}", in_quotes(text), is_memory ? "size" : "number of tokens"),
                 is_memory ? "\"auto\" or a size: 8G" : "\"auto\" or a number");
  set_amount(settings, resource, value ? Amount{false, *value} : Amount{}, std::move(origin));
  return std::nullopt;
}

std::optional<Error> set_dir(Settings& settings, std::string_view text, Origin origin) {
  if (text.empty() || text.find('\0') != text.npos) return wrong("no folder is named");
  std::error_code ignored;
  auto path = std::filesystem::absolute(std::filesystem::path(text), ignored).lexically_normal().string();
  settings.cache_dir = {std::move(path), std::move(origin)};
  return std::nullopt;
}

std::optional<Error> set_quota(Settings& settings, std::string_view text, Origin origin) {
  const auto bytes = parse_bytes(text);
  if (!bytes)
    return wrong(fmt::format("{} is no size", in_quotes(text)),
                 "a number of bytes, or with K, M, G or T: 20G; 0: no limit");
  settings.cache_quota = {*bytes, std::move(origin)};
  return std::nullopt;
}

// One url. A project that names it too gives it its push flag and certificate.
void set_remote(Settings& settings, std::string_view url, Origin origin) {
  std::vector<Remote> remotes;
  if (!url.empty() && url != "none") {
    const auto& known = settings.remotes.value;
    const auto same = std::find_if(known.begin(), known.end(), [&](const Remote& r) { return r.url == url; });
    remotes.push_back(same != known.end() ? *same : Remote{.url = std::string(url)});
  }
  settings.remotes = {std::move(remotes), std::move(origin)};
}

std::string amount_text(std::string_view resource, const Amount& amount) {
  if (amount.automatic) return "auto";
  return resource == "memory" ? format_bytes(amount.value) : std::to_string(amount.value);
}

}  // namespace

void set_amount(Settings& settings, std::string_view resource, Amount amount, Origin origin) {
  auto& all = settings.resources;
  const auto at = std::lower_bound(all.begin(), all.end(), resource,
                                   [](const auto& r, std::string_view n) { return r.first < n; });
  if (at != all.end() && at->first == resource) at->second = {amount, std::move(origin)};
  else all.insert(at, {std::string(resource), {amount, std::move(origin)}});
}

std::optional<Error> set_text(Settings& settings, std::string_view name, std::string_view text,
                              Origin origin) {
  if (name == "cache.dir") return set_dir(settings, text, std::move(origin));
  if (name == "cache.quota") return set_quota(settings, text, std::move(origin));
  if (name == "cache.shared") return choose(kYesOrNo, text, settings.cache_shared, std::move(origin));
  if (name == "on-error") return choose(kOnError, text, settings.on_error, std::move(origin));
  if (name == "sandbox") return choose(kSandbox, text, settings.sandbox, std::move(origin));
  if (name == "ui.color") return choose(kColor, text, settings.color, std::move(origin));
  if (name == "trust") return choose(kTrust, text, settings.trust, std::move(origin));
  if (name == "ui.mode") return choose(kUi, text, settings.ui, std::move(origin));
  if (name.starts_with("resources.")) return set_resource(settings, name.substr(10), text, std::move(origin));
  if (name == "requestor") {
    if (text.empty()) return wrong("no requestor is named");
    settings.requestor = {std::string(text), std::move(origin)};
  } else if (name == "remotes") {
    set_remote(settings, text, std::move(origin));
  } else {
    return wrong(fmt::format("unknown setting {}", in_quotes(name)));
  }
  return std::nullopt;
}

std::string to_text(const Origin& origin) {
  constexpr std::string_view kLayers[] = {"built in", "user", "project", "environment", "command line"};
  const auto layer = kLayers[static_cast<std::size_t>(origin.layer)];
  return origin.detail.empty() ? std::string(layer) : fmt::format("{} ({})", layer, origin.detail);
}

std::vector<SettingRow> describe(const Settings& s) {
  std::vector<SettingRow> rows;
  const auto add = [&](std::string name, std::string value, const Origin& origin) {
    rows.push_back({std::move(name), std::move(value), to_text(origin)});
  };
  add("cache.dir", s.cache_dir.value, s.cache_dir.origin);
  add("cache.quota", s.cache_quota.value ? format_bytes(s.cache_quota.value) : "none", s.cache_quota.origin);
  add("cache.shared", std::string(name_of(kYesOrNo, s.cache_shared.value)), s.cache_shared.origin);
  for (const auto& [name, setting] : s.resources)
    add("resources." + name, amount_text(name, setting.value), setting.origin);
  std::string urls;
  for (const auto& remote : s.remotes.value)
    urls += (urls.empty() ? "" : " ") + without_passwords(remote.url);
  add("remotes", urls.empty() ? "none" : urls, s.remotes.origin);
  add("on-error", std::string(name_of(kOnError, s.on_error.value)), s.on_error.origin);
  add("sandbox", std::string(name_of(kSandbox, s.sandbox.value)), s.sandbox.origin);
  add("requestor", s.requestor.value, s.requestor.origin);
  const bool by_folder = s.trust.origin.layer == Origin::Layer::built_in && !s.trusted_folders.empty();
  add("trust",
      by_folder ? fmt::format("{}", fmt::join(s.trusted_folders, " "))
                : std::string(s.trust.value ? "always" : "what `weir trust` allowed"),
      by_folder ? Origin{Origin::Layer::user, "[trust] folders"} : s.trust.origin);
  add("ui.color", std::string(name_of(kColor, s.color.value)), s.color.origin);
  add("ui.mode", std::string(name_of(kUi, s.ui.value)), s.ui.origin);
  return rows;
}

}  // namespace weir
