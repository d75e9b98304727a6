#include "core/report/tracks.h"

#include <functional>
#include <queue>

namespace weir {

namespace {

template <class T>
using Smallest = std::priority_queue<T, std::vector<T>, std::greater<>>;

}  // namespace

std::vector<std::size_t> pack_tracks(const std::vector<std::pair<Duration, Duration>>& spans) {
  std::vector<std::size_t> tracks;
  tracks.reserve(spans.size());
  Smallest<std::pair<Duration, std::size_t>> busy;  // until when
  Smallest<std::size_t> free;
  for (const auto& [begin, end] : spans) {
    for (; !busy.empty() && busy.top().first <= begin; busy.pop()) free.push(busy.top().second);
    if (free.empty()) free.push(busy.size());
    tracks.push_back(free.top());
    free.pop();
    busy.emplace(end, tracks.back());
  }
  return tracks;
}

}  // namespace weir
