#include "plugins/remotes/grpc/url.h"

#include <algorithm>
#include <string_view>

#include <weir/barrier.hpp>

namespace weir::reapi {

namespace {

constexpr std::string_view kForm =
    "write grpc://host:port/instance or grpcs://host/instance; the instance may be left out";

[[noreturn]] void refuse(std::string message, std::string_view remedy = kForm) {
  throw sdk::Refused{std::move(message), std::string(remedy), "url"};
}

// What follows `prefix`, if the text begins with it.
bool strip(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Where the port of "host:port" or "[::1]:port" begins; npos without one.
std::size_t colon_of_port(std::string_view authority) {
  const auto colon = authority.rfind(':');
  const bool in_brackets = colon != authority.npos && authority.find(']', colon) != authority.npos;
  return in_brackets ? authority.npos : colon;
}

bool is_port(std::string_view text) {
  const bool digits = !text.empty() && text.size() <= 5 &&
                      std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return false;
  const auto number = std::stoi(std::string(text));
  return number > 0 && number < 65536;
}

std::string server_of(std::string_view authority, bool secure) {
  const auto colon = colon_of_port(authority);
  if (authority.substr(0, colon).empty()) refuse("the URL names no host");
  if (colon != authority.npos) {
    if (!is_port(authority.substr(colon + 1))) refuse("the port of the URL is no number from 1 to 65535");
    return std::string(authority);
  }
  if (!secure)
    refuse("the URL names no port", "gRPC has no port of its own: write grpc://host:port/instance");
  return std::string(authority) + ":443";
}

std::string without_slashes(std::string_view path) {
  const auto first = path.find_first_not_of('/');
  return first == path.npos ? std::string()
                            : std::string(path.substr(first, path.find_last_not_of('/') - first + 1));
}

}  // namespace

Url parse_url(const std::string& text) {
  std::string_view rest = text;
  const bool secure = strip(rest, "grpcs://");
  if (!secure && !strip(rest, "grpc://")) refuse("the URL begins with neither grpc:// nor grpcs://");
  if (rest.find_first_of("?#") != rest.npos)
    refuse("the URL has a query or a fragment, which mean nothing here");
  if (std::any_of(rest.begin(), rest.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; }))
    refuse("the URL has a space or a control character");
  const auto slash = rest.find('/');
  const auto authority = rest.substr(0, slash);
  if (authority.find('@') != authority.npos)
    refuse("the URL names a user", "give a token instead, which is sent as `authorization`");
  return {server_of(authority, secure),
          slash == rest.npos ? std::string() : without_slashes(rest.substr(slash)), secure};
}

}  // namespace weir::reapi
