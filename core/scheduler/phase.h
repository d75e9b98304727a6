// Where an element is on its way. One phase an element; the phases of a job are those from laned to
// suspended:
//
// clang-format off
//   idle --wanted--> arrived --classified--> waiting --milestone--> arrived
//                       |  |                   (for another element)
//                       |  +--ready--> laned --admitted--> ready --tokens and a place--> running <--> suspended
//                       |                |                   |  (or tokens --> placing: a worker will take it)
//                       |                |                   |                             |   |
//                       |                |                   |          backoff <--retry---+   +--preempted--> ready
//                       |                |                   |             |                                  or laned
//                       |                |                   |             +--> ready or laned; arrived, if a person
//                       |                |                   |                  wants it tried again
//                       +--skip--> passed <-----------done or skip---------+
//                                   | ^
//                  next queue <-----+ +-- parked: tracked, but nobody wants it (yet)
//
// clang-format on
//   final: finished (left the last queue), failed, blocked (by another one), cancelled, unneeded
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace weir {

enum class Phase : std::uint8_t {
  idle,
  arrived,
  waiting,
  laned,
  ready,
  placing,
  backoff,
  running,
  suspended,
  passed,
  parked,
  finished,
  failed,
  blocked,
  cancelled,
  unneeded,
};
inline constexpr std::size_t kPhases = 16;

constexpr bool is_final(Phase phase) { return phase >= Phase::finished; }
std::string_view to_string(Phase phase);

namespace detail {
constexpr std::uint32_t set_of() { return 0; }
template <class... Rest>
constexpr std::uint32_t set_of(Phase first, Rest... rest) {
  return (1u << static_cast<unsigned>(first)) | set_of(rest...);
}
}  // namespace detail

// From each phase, the phases that may follow.
inline constexpr std::array<std::uint32_t, kPhases> kMayFollow = {
    /* idle      */ detail::set_of(Phase::arrived, Phase::unneeded, Phase::cancelled),
    /* arrived   */
    detail::set_of(Phase::waiting, Phase::laned, Phase::ready, Phase::passed, Phase::blocked, Phase::failed,
                   Phase::cancelled),
    /* waiting   */ detail::set_of(Phase::arrived, Phase::blocked, Phase::cancelled),
    /* laned     */ detail::set_of(Phase::ready, Phase::blocked, Phase::cancelled),
    /* ready     */
    detail::set_of(Phase::placing, Phase::running, Phase::failed, Phase::blocked, Phase::cancelled),
    /* placing   */ detail::set_of(Phase::ready, Phase::running, Phase::blocked, Phase::cancelled),
    /* backoff   */
    detail::set_of(Phase::arrived, Phase::ready, Phase::laned, Phase::failed, Phase::cancelled),
    /* running   */
    detail::set_of(Phase::suspended, Phase::backoff, Phase::ready, Phase::laned, Phase::passed, Phase::failed,
                   Phase::cancelled),
    /* suspended */
    detail::set_of(Phase::running, Phase::backoff, Phase::ready, Phase::laned, Phase::passed, Phase::failed,
                   Phase::cancelled),
    /* passed    */ detail::set_of(Phase::arrived, Phase::parked, Phase::finished),
    /* parked    */ detail::set_of(Phase::arrived, Phase::unneeded, Phase::cancelled),
    /* finished  */ 0,
    /* failed    */ 0,
    /* blocked   */ 0,
    /* cancelled */ 0,
    /* unneeded  */ 0,
};

constexpr bool may_follow(Phase from, Phase to) {
  return kMayFollow[static_cast<std::size_t>(from)] & detail::set_of(to);
}

}  // namespace weir
