#include "core/report/html_report.h"

#include <string_view>

#include "core/report/report_page.h"

namespace weir {

std::string for_script(const std::string& json) {
  constexpr std::string_view kSeparators = "\xe2\x80";  // U+2028 and U+2029 begin so
  std::string out;
  out.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '<') out += "\\u003c";
    else if (c == '>') out += "\\u003e";
    else if (c == '&') out += "\\u0026";
    else if (c == kSeparators[0] && json.compare(i, 2, kSeparators) == 0 && i + 2 < json.size() &&
             (json[i + 2] == '\xa8' || json[i + 2] == '\xa9')) {
      out += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else out += c;
  }
  return out;
}

std::string html_report(const RunRecord& record, const RunFailures& failures, const RunTotals& totals,
                        const HtmlOptions& options) {
  std::string page;
  for (const auto& part : kPageBeforeData) page += part;
  page += for_script(report_data(record, failures, totals, options));
  for (const auto& part : kPageAfterData) page += part;
  return page;
}

}  // namespace weir
