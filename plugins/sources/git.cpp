// git: a commit of a repository, by default with its submodules left out. `track` is a branch, a tag, or a
// pattern of tags of which the highest version counts; without it the branch that the remote has as its own.
#include <weir/source.hpp>

#include "plugins/sources/git_refs.h"
#include "plugins/sources/git_script.h"
#include "plugins/sources/url.h"

namespace weir::kinds {

struct Git {
  static constexpr std::string_view kind = "git";
  static constexpr std::uint32_t version = 1;
  static constexpr std::uint32_t flags = WEIR_SOURCE_MIRROR;
  static constexpr std::string_view example = R"({"url":"https://example.org/a.git","track":"main"})";

  static void resolve(ConfigReader& config) {
    static constexpr std::string_view kSchemes[] = {"https", "http", "ssh", "git", "file"};
    read_url(config, kSchemes);
    config.text("track");
    config.boolean("submodules", false);
  }
  static Description describe(const Json& config) { return {.key = config.part({"submodules"})}; }
  static void check_ref(std::string_view ref) {
    check_hex(ref, 40, "the full name of a commit: 40 digits, 0 to 9 and a to f");
  }
  static Steps plan_track(const SourceRequest& request) {
    return shell(kGitTrack, {request.url, request.name + ".track"});
  }
  static std::string parse_track(const TrackAnswer& answer) {
    return find_git_ref(answer.content, answer.config.text("track"));
  }
  static Steps plan_fetch(const SourceRequest& request) {
    return shell(kGitFetch, {request.url, request.ref, request.cache, request.name,
                             text_of(request.config.boolean("submodules")), text_of(is_local(request.url))});
  }

 private:
  static Steps shell(const char* program, const Words& arguments) {
    Words words = {"sh", "-c", std::string(kGitCommon) + program, "weir-git"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    // By name, so that weir sees before a run that this machine has no git.
    return Steps()
        .run({"git", "--version"}, "source", {{127, "infra"}})
        .run(std::move(words), "source",
             {{kGitNetwork, "network"}, {kGitSource, "source"}, {kGitMissing, "infra"}});
  }
  static std::string text_of(bool value) { return value ? "true" : "false"; }
  // "host:path" is short for ssh.
  static bool is_local(std::string_view url) { return url.starts_with('/') || url.starts_with("file:"); }
};

}  // namespace weir::kinds

WEIR_PLUGIN("weir", WEIR_VERSION, weir::sdk::source<weir::kinds::Git>())
