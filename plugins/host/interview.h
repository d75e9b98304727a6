// Asks a kind all its questions, each twice, and reports what it answered: for `weir plugin check`, in a
// child.
#pragma once

#include <string>

#include "plugins/host/plugin_library.h"

namespace weir {

struct InterviewRequest {
  std::string file;
  PluginType type;
  std::string kind;
  std::string config;  // a JSON object, or empty: then only what needs none is asked
};

// Loads the library, takes the process all system calls (seal.h), then asks. Writes lines of JSON:
//   {"asking": question}               before each
//   {"answer": question, "text": ..}   the same both times, and nothing is wrong with it
//   {"wrong": question, "text": why}
//   {"skipped": question, "text": why}
//   {"called": number}                 a system call of the question that was asked last
//   {"unsealed": why}                  this machine cannot forbid system calls
void interview(const InterviewRequest& request, int report);

}  // namespace weir
