// A JUnit report as its readers see it: checked against the schema, and asked by XPath. libxml2 stands for
// them.
#pragma once

#include <gtest/gtest.h>

#include "tests/support/run_program.h"

namespace weir::test {

class JunitFile {
 public:
  explicit JunitFile(std::string path) : path_(std::move(path)) {}

  // What is wrong with it; empty: nothing.
  std::string complaint() const {
    try {
      run_program("/", {"xmllint", "--noout", "--nonet", "--schema",
                        WEIR_SOURCE_DIR "/tests/schema/junit.xsd", path_});
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }
  // As text: "count(//failure)", "string(//testcase[@name='a']/@time)".
  std::string ask(const std::string& question) const {
    auto answer = run_program("/", {"xmllint", "--nonet", "--xpath", question, path_});
    while (answer.ends_with('\n')) answer.pop_back();
    return answer;
  }

 private:
  std::string path_;
};

}  // namespace weir::test
