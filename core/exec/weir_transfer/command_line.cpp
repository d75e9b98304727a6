#include "core/exec/weir_transfer/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace weir::transfer {
namespace {

tl::unexpected<Trouble> usage(std::string message) {
  return trouble(TransferExit::usage, std::move(message));
}

struct Words {
  std::map<std::string, std::string, std::less<>> values;
  std::set<std::string, std::less<>> flags;
  std::vector<std::string> rest;  // after "--"

  std::string value(std::string_view name) const {
    const auto at = values.find(name);
    return at == values.end() ? std::string() : at->second;
  }
};

using Names = std::set<std::string, std::less<>>;

Expected<Words> sort_words(std::span<const std::string> words, const Names& options, const Names& flags) {
  Words sorted;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--") {
      sorted.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 1, words.end());
      break;
    }
    if (flags.contains(word)) {
      sorted.flags.insert(word);
    } else if (!options.contains(word)) {
      return usage(fmt::format("unknown argument '{}'", shown(word)));
    } else if (i + 1 == words.size()) {
      return usage(fmt::format("{} needs a value", word));
    } else if (!sorted.values.emplace(word, words[++i]).second) {
      return usage(fmt::format("{} is given twice", word));
    }
  }
  return sorted;
}

Expected<Words> need(Expected<Words> words, std::initializer_list<const char*> names) {
  if (!words) return words;
  for (const auto* name : names)
    if (words->value(name).empty()) return usage(fmt::format("{} is missing", name));
  return words;
}

bool is_digest(std::string_view text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

Expected<Order> parse_download(std::span<const std::string> given) {
  const auto words = need(sort_words(given, {"--to-root", "--to", "--parts", "--sha256"}, {"--executable"}),
                          {"--to", "--parts"});
  if (!words) return tl::unexpected(words.error());
  if (words->rest.size() != 1) return usage("one URL is needed, after --");
  DownloadOrder order{words->rest.front(),
                      {words->value("--to-root"), words->value("--to")},
                      words->value("--parts"),
                      words->value("--sha256"),
                      words->flags.contains("--executable")};
  std::transform(order.sha256.begin(), order.sha256.end(), order.sha256.begin(),
                 [](char c) { return c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (words->values.contains("--sha256") && !is_digest(order.sha256))
    return usage(fmt::format("'{}' is no SHA-256: it has 64 hexadecimal digits", shown(order.sha256)));
  return order;
}

Expected<Order> parse_unpack(std::span<const std::string> given) {
  const auto words = need(sort_words(given, {"--from-root", "--from", "--to-root", "--to", "--strip"}, {}),
                          {"--from", "--to"});
  if (!words) return tl::unexpected(words.error());
  if (!words->rest.empty()) return usage("unpack takes no further arguments");
  UnpackOrder order{{words->value("--from-root"), words->value("--from")},
                    {words->value("--to-root"), words->value("--to")}};
  if (const auto strip = words->value("--strip"); words->values.contains("--strip")) {
    const auto end = strip.data() + strip.size();
    if (const auto [at, error] = std::from_chars(strip.data(), end, order.strip);
        error != std::errc() || at != end)
      return usage(fmt::format("--strip takes a number, not '{}'", shown(strip)));
  }
  return order;
}

}  // namespace

Expected<Order> parse_command_line(std::span<const std::string> words) {
  if (words.empty()) return usage("a verb is missing: download or unpack");
  if (words.front() == "download") return parse_download(words.subspan(1));
  if (words.front() == "unpack") return parse_unpack(words.subspan(1));
  return usage(fmt::format("unknown verb '{}'", shown(words.front())));
}

}  // namespace weir::transfer
