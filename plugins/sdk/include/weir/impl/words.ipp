// Code of weir/words.hpp, which includes it or is included before it.
#pragma once

#include <algorithm>

namespace weir::sdk {

WEIR_SDK_CODE std::string in_quotes(std::string_view text) {
  return std::string("\"").append(text).append("\"");
}

WEIR_SDK_CODE std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string all;
  for (const auto& word : words) all.append(all.empty() ? "" : between).append(word);
  return all;
}

WEIR_SDK_CODE std::size_t letters_between(std::string_view a, std::string_view b) {
  const auto width = b.size() + 1;
  std::vector<std::size_t> costs((a.size() + 1) * width);
  const auto cost = [&](std::size_t i, std::size_t j) -> std::size_t& { return costs[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        cost(i, j) = i + j;
        continue;
      }
      cost(i, j) =
          std::min({cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + (a[i - 1] != b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost(i, j) = std::min(cost(i, j), cost(i - 2, j - 2) + 1);
    }
  return cost(a.size(), b.size());
}

WEIR_SDK_CODE const std::string* nearest(std::string_view word, const std::vector<std::string>& known) {
  const std::string* best = nullptr;
  auto least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const auto& one : known)
    if (const auto gap = std::max(word.size(), one.size()) - std::min(word.size(), one.size());
        gap >= least) {
      continue;
    } else if (const auto distance = letters_between(word, one); distance < least) {
      best = &one;
      least = distance;
    }
  return best;
}

}  // namespace weir::sdk
