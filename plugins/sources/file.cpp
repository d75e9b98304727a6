// file: one file as it is, under a name of one's choice.
#include <fmt/format.h>

#include "plugins/sdk/config_reader.h"
#include "plugins/sources/download.h"
#include "plugins/sources/sources.h"
#include "plugins/sources/url.h"

namespace weir {

namespace {

bool is_file_name(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find_first_of(std::string_view("/\0", 2)) == name.npos;
}

class FileKind final : public DownloadedKind {
 public:
  std::string_view name() const override { return "file"; }
  std::uint32_t version() const override { return 1; }
  ResolvedConfig resolve(std::string_view config) const override {
    ConfigReader reader(config);
    const auto url = read_url(reader, kDownloadSchemes);
    const auto name = reader.text("name", file_name_of(url));
    if (!is_file_name(name))
      reader.complain("name", fmt::format("\"{}\" is no name for a file", name), "give it one, as in name = \"data.bin\"");
    reader.boolean("executable", false);
    return reader.finish();
  }
  std::string key_config(std::string_view resolved) const override { return part_of(resolved, {"executable", "name"}); }
  std::vector<Step> plan_fetch(std::string_view resolved, const SourceRequest& request) const override {
    const auto to = fmt::format("source/{}/{}", request.name, text_in(resolved, "name"));
    return {DownloadStep{std::string(request.url), to, std::string(request.ref), boolean_in(resolved, "executable")}};
  }
};

}  // namespace

std::unique_ptr<SourceKind> make_file_kind() { return std::make_unique<FileKind>(); }

}  // namespace weir
