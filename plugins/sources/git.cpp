// git: a commit of a repository, by default with its submodules left out. `track` is a branch, a tag, or a pattern of tags
// of which the highest version counts; without it the branch that the remote has as its own.
#include <fmt/format.h>

#include "plugins/sdk/config_reader.h"
#include "plugins/sources/git_refs.h"
#include "plugins/sources/git_script.h"
#include "plugins/sources/sources.h"
#include "plugins/sources/url.h"

namespace weir {

namespace {

constexpr std::string_view kSchemes[] = {"https", "http", "ssh", "git", "file"};

RunStep shell(const char* program, std::vector<std::string> arguments) {
  std::vector<std::string> words = {"sh", "-c", std::string(kGitCommon) + program, "weir-git"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return {std::move(words), "source", {{kGitNetwork, Failure::network}, {kGitSource, Failure::source}, {kGitMissing, Failure::infra}}};
}

std::string text_of(bool value) { return value ? "true" : "false"; }

// "host:path" is short for ssh.
bool is_local(std::string_view url) { return url.starts_with('/') || url.starts_with("file:"); }

class GitKind final : public SourceKind {
 public:
  std::string_view name() const override { return "git"; }
  std::uint32_t version() const override { return 1; }
  ResolvedConfig resolve(std::string_view config) const override {
    ConfigReader reader(config);
    read_url(reader, kSchemes);
    reader.text("track");
    reader.boolean("submodules", false);
    return reader.finish();
  }
  std::string key_config(std::string_view resolved) const override { return part_of(resolved, {"submodules"}); }
  std::string wrong_ref(std::string_view ref) const override { return wrong_hex(ref, 40, "the full name of a commit: 40 digits, 0 to 9 and a to f"); }
  bool keeps_mirror() const override { return true; }
  std::vector<Step> plan_track(std::string_view, const SourceRequest& request) const override {
    return {shell(kGitTrack, {std::string(request.url), std::string(request.name) + ".track"})};
  }
  Result<std::string> parse_track(std::string_view resolved, const TrackAnswer& answer) const override {
    return find_git_ref(answer.text, text_in(resolved, "track"));
  }
  std::vector<Step> plan_fetch(std::string_view resolved, const SourceRequest& request) const override {
    return {shell(kGitFetch, {std::string(request.url), std::string(request.ref), std::string(request.cache),
                              std::string(request.name), text_of(boolean_in(resolved, "submodules")), text_of(is_local(request.url))})};
  }
};

}  // namespace

std::unique_ptr<SourceKind> make_git_kind() { return std::make_unique<GitKind>(); }

}  // namespace weir
