#include "tests/support/browser.h"

#include <stdexcept>

#include "tests/support/run_program.h"

namespace weir {

using nlohmann::json;

namespace {

std::string from_base64(const std::string& text) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned held = 0;
  int bits = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == kDigits.npos) break;
    held = held << 6 | static_cast<unsigned>(digit);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(held >> bits & 0xff);
  }
  return bytes;
}

}  // namespace

Browser::Browser() {
  const std::vector<std::string> environment{"PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=" + folder_.path(),
                                             "TMPDIR=" + folder_.path()};
  const std::string mark = "successfully on port ";
  // The port that it chooses for IPv6 may be taken for IPv4 by another test: then it ends, and another one
  // finds another port.
  constexpr int kAttempts = 5;
  for (int attempt = 1; !driver_; ++attempt) {
    driver_ =
        std::make_unique<Program>(std::vector<std::string>{"/usr/bin/chromedriver", "--port=0"}, environment);
    if (driver_->wait_for(mark) && driver_->wait_for("\n")) break;
    const auto said = driver_->text();
    if (attempt == kAttempts || said.find("port not available") == said.npos)
      throw std::runtime_error("chromedriver: " + said);
    driver_.reset();
  }
  server_ = "http://127.0.0.1:" +
            std::to_string(std::stoi(driver_->text().substr(driver_->text().find(mark) + mark.size())));
  const json arguments = {"--headless=new",
                          "--no-sandbox",
                          "--disable-gpu",
                          "--disable-quic",
                          "--no-first-run",
                          "--disable-background-networking",
                          "--disable-component-update",
                          "--disable-sync",
                          "--disable-dev-shm-usage",
                          "--hide-scrollbars",
                          "--force-device-scale-factor=1",
                          "--user-data-dir=" + folder_ / "profile"};
  const json wanted = {{"browserName", "chrome"},
                       {"goog:chromeOptions", {{"args", arguments}}},
                       {"goog:loggingPrefs", {{"browser", "ALL"}}}};
  session_ = "/session/" + call("POST", "/session", {{"capabilities", {{"alwaysMatch", wanted}}}})
                               .at("sessionId")
                               .get<std::string>();
}

Browser::~Browser() {
  try {
    if (!session_.empty()) call("DELETE", session_);
  } catch (const std::exception&) {
    // It is gone already.
  }
}

json Browser::call(const std::string& method, const std::string& path, const json& body) {
  std::vector<std::string> words = {"curl", "-sS", "--noproxy", "*", "--max-time", "120", "-X", method};
  if (method == "POST")
    words.insert(words.end(), {"-H", "Content-Type: application/json", "--data-binary", body.dump()});
  words.push_back(server_ + path);
  const auto answer = json::parse(test::run_program("/", words));
  const auto& value = answer.at("value");
  if (value.is_object() && value.contains("error")) throw std::runtime_error(path + ": " + value.dump());
  return value;
}

void Browser::resize(int width, int height) {
  call("POST", session_ + "/window/rect", {{"width", width}, {"height", height}});
}

void Browser::prefer_dark(bool dark) {
  const json feature = {{"name", "prefers-color-scheme"}, {"value", dark ? "dark" : "light"}};
  call("POST", session_ + "/goog/cdp/execute",
       {{"cmd", "Emulation.setEmulatedMedia"}, {"params", {{"features", json::array({feature})}}}});
}

void Browser::open_file(const std::string& path) {
  call("POST", session_ + "/url", {{"url", "file://" + path}});
}

json Browser::run(const std::string& script) {
  return call("POST", session_ + "/execute/sync", {{"script", script}, {"args", json::array()}});
}

std::string Browser::element(const std::string& selector) {
  const auto found = call("POST", session_ + "/element", {{"using", "css selector"}, {"value", selector}});
  return session_ + "/element/" + found.begin()->get<std::string>();
}

void Browser::click(const std::string& selector) { call("POST", element(selector) + "/click"); }

void Browser::type(const std::string& selector, const std::string& text) {
  call("POST", element(selector) + "/value", {{"text", text}});
}

namespace {

json move_to(Browser::Point at) {
  return {{"type", "pointerMove"}, {"duration", 0}, {"x", at.x}, {"y", at.y}};
}

json of_mouse(const json& actions) {
  return {{"actions", json::array({{{"type", "pointer"}, {"id", "mouse"}, {"actions", actions}}})}};
}

}  // namespace

void Browser::hover(Point at) { call("POST", session_ + "/actions", of_mouse(json::array({move_to(at)}))); }

void Browser::drag(Point from, Point to) {
  const json down = {{"type", "pointerDown"}, {"button", 0}}, up = {{"type", "pointerUp"}, {"button", 0}};
  call("POST", session_ + "/actions", of_mouse({move_to(from), down, move_to(to), up}));
}

void Browser::wheel(Point at, int down) {
  const json scroll = {{"type", "scroll"}, {"duration", 0}, {"x", at.x},
                       {"y", at.y},        {"deltaX", 0},   {"deltaY", down}};
  call(
      "POST", session_ + "/actions",
      {{"actions", json::array({{{"type", "wheel"}, {"id", "wheel"}, {"actions", json::array({scroll})}}})}});
}

std::string Browser::console() {
  const auto lines = call("POST", session_ + "/se/log", {{"type", "browser"}});
  return lines.empty() ? std::string() : lines.dump();
}

void Browser::screenshot(const std::string& path) {
  const std::filesystem::path file(path);
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary)
      << from_base64(call("GET", session_ + "/screenshot").get<std::string>());
}

}  // namespace weir
