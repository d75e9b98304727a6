// What GitHub's runner understands in the log of a job: workflow commands. All text that weir prints stands
// between commands that tell the runner to look for none, so nothing that a job wrote, and no name, is ever
// taken for one.
#pragma once

#include <functional>
#include <optional>

#include "core/report/ci_host.h"

namespace weir {

// As the runner wants the message and the properties of a command.
std::string github_message(std::string_view text);
std::string github_property(std::string_view text);

class GithubHost final : public CiHost {
 public:
  // The file of the repository that an element's log calls by this path.
  using FindFile =
      std::function<std::optional<std::string>(const std::string& element, const std::string& path)>;
  // `token` gives a text that nobody can guess, another one each time.
  GithubHost(FindFile find_file, std::function<std::string()> token)
      : find_file_(std::move(find_file)), token_(std::move(token)) {}

  std::string fold_begin(WallTime) override;
  std::string fold_end(WallTime) override;
  std::string text_begin() override;
  std::string text_end() override;
  std::string failure(const FailedElement& failure, const std::string& log) override;
  std::string warning(std::string_view message) override;

 private:
  FindFile find_file_;
  std::function<std::string()> token_;
  std::string stopped_with_;
};

}  // namespace weir
