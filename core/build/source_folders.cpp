#include "core/build/source_folders.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "core/build/job_label.h"
#include "core/exec/logical_path.h"
#include "core/store/digest.h"
#include "core/store/file_tools.h"

namespace weir {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kLongestAnswer = 16 << 20;

void remove_all(const std::string& path) { (void)store::remove_tree(AT_FDCWD, path); }

Result<TrackAnswer> answer_in(const std::string& path) {
  std::error_code ignored;
  // A pipe would be waited for, and a link leads to files of this machine.
  const auto type = fs::symlink_status(path, ignored).type();
  if (type != fs::file_type::regular && type != fs::file_type::not_found)
    return fail(Reason::bug, "what the source kind left as its answer is no file",
                "this is a bug of its plugin: plan_track has to leave a file");
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return fail(Reason::project, "the source is not there, although nothing went wrong in fetching it");
  store::Hasher hasher;
  std::string text;
  for (std::string chunk(1 << 16, '\0'); file;) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    const std::string_view got(chunk.data(), static_cast<std::size_t>(file.gcount()));
    hasher.update(got);
    if (text.size() <= kLongestAnswer) text += got;
  }
  if (text.size() > kLongestAnswer) text.clear();
  return TrackAnswer{hasher.finish().hex(), std::move(text)};
}

}  // namespace

std::string SourceFolders::directory(const JobSpec& spec, std::string_view root) const {
  if (root == "cache") return cache_;
  return root == "source" ? work_(element_of(spec)) + "/source" : std::string();
}

Result<StagedJob> SourceFolders::stage(const JobSpec& spec) const {
  const auto own = directory(spec, "source");
  remove_all(own);  // of an attempt before
  std::error_code error;
  for (const auto& path : {own, cache_}) {
    fs::create_directories(path, error);
    if (error) return fail(Reason::system, fmt::format("making {}: {}", path, error.message()));
  }
  return StagedJob{};
}

Result<std::string> SourceFolders::take(const JobSpec& spec, std::size_t output) const {
  const auto split = split_logical_path(spec.outputs[output]);
  if (!split) return tl::unexpected(split.error());
  const auto path = fmt::format("{}/{}", directory(spec, split->root), split->rest);
  if (queue_of(spec) == "track") {
    const auto answer = answer_in(path);
    return answer ? ref_in_(element_of(spec), output, *answer) : tl::unexpected(answer.error());
  }
  std::error_code ignored;
  if (const auto type = fs::symlink_status(path, ignored).type(); type == fs::file_type::not_found)
    return fail(Reason::project, "the source is not there, although nothing went wrong in fetching it");
  else if (type != fs::file_type::directory)
    return fail(Reason::bug, "what was fetched is no folder",
                "this is a bug of the plugin of its kind: plan_fetch has to leave a folder");
  const auto collected = store_.collect(path);
  if (!collected) return tl::unexpected(collected.error());
  return collected->tree.text();
}

Result<std::vector<std::string>> SourceFolders::collect(const JobSpec& spec, const std::string& log) const {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < spec.outputs.size(); ++i) {
    auto one = take(spec, i);
    if (!one) return tl::unexpected(one.error());
    all.push_back(std::move(*one));
  }
  std::error_code ignored;
  const auto said = fs::is_regular_file(log, ignored) ? store_.put_file(log) : store_.put_blob("");
  if (!said) return tl::unexpected(said.error());
  all.push_back(said->text());
  remove_all(directory(spec, "source"));
  return all;
}

}  // namespace weir
