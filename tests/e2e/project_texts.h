// Pieces of project files, and what comes of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "core/store/digest.h"
#include "tests/e2e/run_facts.h"

namespace weir::test {

// A TOML string that means these bytes.
inline std::string toml_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + "\"";
}

inline const std::string kHead = "weir = 1\n[project]\nname = \"t\"\n";

// An element that runs one command, which may have quotes of its own.
inline std::string script(const std::string& name, const std::string& command, const std::string& more = "") {
  return "[element." + name + "]\nkind = \"script\"\nconfig.commands = ['''" + command + "''']\n" + more +
         "\n";
}

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One element `app` that is its sources.
inline std::string importing(const std::string& sources) {
  return "weir = 1\n[retry]\ndelay = \"1ms\"\n[element.app]\nkind = \"import\"\nsource = [" + sources + "]\n";
}

// A file of the artifact of `app`, checked out afresh.
inline std::string built_file(const TempProject& project, const std::string& name) {
  std::filesystem::remove_all(project.path() + "/out");
  const auto done = weir(project, {"checkout", "app", project.path() + "/out"});
  return done.exit == 0 ? content(project.path() + "/out/" + name) : done.err;
}

// Other bytes for the object with that content; its size stays.
inline void damage_object(const TempProject& project, const std::string& content) {
  const auto hex = store::digest_of(content).hex();
  const auto path = project.cache() + "/store/objects/" + hex.substr(0, 2) + "/" + hex.substr(2);
  std::filesystem::permissions(path, std::filesystem::perms(0644));
  std::ofstream(path, std::ios::binary) << std::string(content.size(), '?');
}

// The classes of all jobs that failed, in order, with spaces between.
inline std::string failures_of(const Finished& finished) {
  std::string all;
  for (const auto& line : lines_of(finished.out))
    if (field(line, "ev") == "job.end" && field(line, "result") == "failed")
      all += (all.empty() ? "" : " ") + field(line, "failure");
  return all;
}

}  // namespace weir::test
