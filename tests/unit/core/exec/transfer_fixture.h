// Runs the real weir-transfer in a folder of its own.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <openssl/sha.h>

#include <algorithm>
#include <filesystem>

#include "core/exec/transfer_exit.h"
#include "tests/support/program.h"
#include "tests/support/temporary_folder.h"

namespace weir {

inline std::string sha256_of(std::string_view bytes) {
  unsigned char hash[32];
  ::SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash);
  std::string text;
  for (const auto byte : hash) text += fmt::format("{:02x}", byte);
  return text;
}

// Bytes that no compression makes small, the same in every run.
inline std::string noise(std::size_t size, std::uint32_t seed = 1) {
  std::string bytes(size, '\0');
  for (auto& byte : bytes) byte = static_cast<char>((seed = seed * 1664525 + 1013904223) >> 24);
  return bytes;
}

class TransferTest : public testing::Test {
 protected:
  using Words = std::vector<std::string>;

  std::unique_ptr<Program> begin(Words words) {
    words.insert(words.begin(), WEIR_TRANSFER);
    auto environment = environment_;
    environment.push_back("HOME=" + folder_.path());
    return std::make_unique<Program>(std::move(words), std::move(environment));
  }
  TransferExit run(Words words) {
    const auto program = begin(std::move(words));
    const auto exit = static_cast<TransferExit>(program->wait());
    output_ = program->text();
    return exit;
  }
  // The reason of a failure: the last line.
  std::string reason() const {
    const auto end = output_.find_last_not_of('\n');
    const auto begin = output_.rfind('\n', end);
    return end == output_.npos ? std::string()
                               : output_.substr(begin == output_.npos ? 0 : begin + 1, end - begin);
  }
  bool says(std::string_view words) const { return reason().find(words) != std::string::npos; }

  std::vector<std::string> names_in(const std::string& folder) const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_ / folder, ignored))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  TemporaryFolder folder_;
  std::vector<std::string> environment_;  // besides HOME
  std::string output_;
};

}  // namespace weir
