#include "core/model/event.h"

#include <fstream>
#include <sstream>

namespace weir {
namespace {

std::string json_of(event::Body body) {
  std::string out;
  append_json(out, Event{7, std::chrono::microseconds(1200), std::move(body)},
              std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'001)));
  return out;
}

TEST(Event, is_one_line_of_json_in_the_order_of_the_table) {
  const std::pair<std::string_view, std::int64_t> tokens[] = {{"process", 2}, {"license", 1}};
  event::JobStart start;
  start.job = 3;
  start.element = "base/zlib";
  start.queue = "build";
  start.attempt = 1;
  start.worker = "local";
  start.tokens = tokens;
  EXPECT_EQ(
      json_of(start),
      R"({"v":1,"seq":7,"t":"2023-11-14T22:13:20.001Z","us":1200,"ev":"job.start","job":3,"element":"base/zlib",)"
      R"("queue":"build","attempt":1,"worker":"local","tokens":{"process":2,"license":1}})");
}

TEST(Event, hostile_texts_stay_valid_json) {
  event::Diagnostic diagnostic;
  diagnostic.level = "warning";
  diagnostic.message = "a\"\\\n\x1b[31m\xff\xc3\xa9\xed\xa0\x80";
  EXPECT_NE(json_of(diagnostic)
                .find("\"message\":\"a\\\"\\\\\\n\\u001b["
                      "31m\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""),
            std::string::npos)
      << json_of(diagnostic);
}

TEST(Event, docs_page_is_the_one_made_from_the_table) {
  std::ifstream file(WEIR_SOURCE_DIR "/docs/events.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(page.str(), event_documentation())
      << "write it again: build/tests/write_event_docs > docs/events.md";
}

}  // namespace
}  // namespace weir
