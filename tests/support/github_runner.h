// The part of GitHub's runner that reads the log of a step: which of its lines are commands, and what they
// say. Both forms that it knows: "::name key=value::message" at the start of a line, and the older
// "##[name]message" anywhere in one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::test {

class GithubRunner {
 public:
  struct Command {
    std::string name;
    std::map<std::string, std::string> properties;
    std::string message;
  };

  void read(std::string_view log) {
    while (!log.empty()) {
      const auto end = log.find('\n');
      line(std::string(log.substr(0, end)));
      log.remove_prefix(end == log.npos ? log.size() : end + 1);
    }
  }

  std::vector<Command> commands;  // without those that stop and go on
  std::vector<std::string> text;  // lines that are none, without what is in groups
  std::vector<std::string> folded;
  bool stopped() const { return !token_.empty(); }

 private:
  void line(const std::string& line) {
    const auto command = parse(line);
    if (stopped()) {
      if (command && command->name == token_) token_.clear();
      else show(line);
    } else if (!command || !known(command->name)) {
      show(line);
    } else if (command->name == "stop-commands") {
      token_ = command->message;
    } else {
      open_ = command->name == "group" || (open_ && command->name != "endgroup");
      commands.push_back(*command);
    }
  }
  void show(const std::string& line) { (open_ ? folded : text).push_back(line); }

  static bool known(const std::string& name) {
    static const std::string kNames =
        " error warning notice debug group endgroup add-mask set-output save-state set-env add-path echo "
        "stop-commands add-matcher remove-matcher internal-set-repo-path ";
    return kNames.find(" " + name + " ") != kNames.npos;
  }

  static std::string plain(std::string text, bool property) {
    const std::pair<std::string_view, std::string_view> kEscapes[] = {
        {"%0D", "\r"}, {"%0A", "\n"}, {"%3A", ":"}, {"%2C", ","}, {"%25", "%"}};
    for (const auto& [from, to] : kEscapes) {
      if (!property && (to == ":" || to == ",")) continue;
      for (auto at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    }
    return text;
  }

  static std::optional<Command> parse(const std::string& line) {
    const auto first = line.find_first_not_of(" \t");
    if (first != line.npos && line.compare(first, 2, "::") == 0) {
      const auto end = line.find("::", first + 2);
      if (end != line.npos)
        return command(line.substr(first + 2, end - first - 2), line.substr(end + 2), ',');
    }
    const auto old = line.find("##[");
    const auto end = old == line.npos ? old : line.find(']', old);
    if (end == line.npos) return std::nullopt;
    return command(line.substr(old + 3, end - old - 3), line.substr(end + 1), ';');
  }

  static Command command(const std::string& head, const std::string& message, char between) {
    const auto space = head.find(' ');
    Command made{head.substr(0, space), {}, plain(message, false)};
    for (auto rest = space == head.npos ? "" : head.substr(space + 1); !rest.empty();) {
      const auto end = rest.find(between);
      const auto pair = rest.substr(0, end);
      if (const auto equals = pair.find('='); equals != pair.npos)
        made.properties[pair.substr(0, equals)] = plain(pair.substr(equals + 1), true);
      rest = end == rest.npos ? "" : rest.substr(end + 1);
    }
    return made;
  }

  std::string token_;
  bool open_ = false;
};

}  // namespace weir::test
