// A headless Chromium that a test drives by WebDriver (Debian's chromium-driver), with a profile of its own.
// Gone with the test.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace weir {

class Browser {
 public:
  // What cannot be done throws: a test that cannot drive its browser has failed.
  Browser();
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  void resize(int width, int height);
  void prefer_dark(bool dark);
  void open_file(const std::string& path);
  // "return document.title": what the script returns.
  nlohmann::json run(const std::string& script);
  // The first element that the CSS selector finds; the keys of WebDriver are characters as well ("\uE007" is
  // Enter).
  void click(const std::string& selector);
  void type(const std::string& selector, const std::string& text);
  // The mouse, in pixels of the window.
  struct Point {
    int x = 0, y = 0;
  };
  void hover(Point at);
  void click_at(Point at) { drag(at, at); }
  void drag(Point from, Point to);
  void wheel(Point at, int down);
  // What is on the console since the last call; empty if all is well.
  std::string console();
  void screenshot(const std::string& path);

 private:
  nlohmann::json call(const std::string& method, const std::string& path,
                      const nlohmann::json& body = nlohmann::json::object());
  std::string element(const std::string& selector);

  TemporaryFolder folder_;
  std::unique_ptr<Program> driver_;
  std::string server_, session_;
};

}  // namespace weir
