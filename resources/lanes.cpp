#include "resources/lanes.h"

#include <algorithm>

#include "core/base/assert.h"

namespace weir {

LaneId Lanes::lane(std::string_view name) {
  const auto [found, is_new] =
      lane_names_.try_emplace(std::string(name), LaneId{static_cast<std::uint32_t>(lanes_.size())});
  if (is_new) lanes_.push_back({std::string(name), {}, {}, 0, Access::read});
  return found->second;
}

GroupId Lanes::group(std::string_view name) {
  if (name.empty()) return kNoGroup;
  const GroupId next{static_cast<std::uint32_t>(group_names_.size() + 1)};
  return group_names_.try_emplace(std::string(name), next).first->second;
}

bool Lanes::compatible(const Lane& lane, const LaneAsk& ask) {
  if (lane.running == 0) return true;
  if (lane.access != ask.access) return false;
  const auto& groups = lane.running_groups;
  return ask.group == kNoGroup || std::find(groups.begin(), groups.end(), ask.group) == groups.end();
}

Lanes::Ticket Lanes::ask(std::span<const LaneAsk> asks, std::uint32_t payload) {
  Ticket ticket;
  if (free_.empty()) {
    ticket = Ticket{static_cast<std::uint32_t>(jobs_.size())};
    jobs_.emplace_back();
  } else {
    ticket = free_.back();
    free_.pop_back();
  }
  auto& asker = job(ticket);
  asker.payload = payload;
  asker.places.reserve(asks.size());
  for (const auto& ask : asks) {
    WEIR_ASSERT(std::none_of(asker.places.begin(), asker.places.end(),
                             [&](const auto& p) { return p.ask.lane == ask.lane; }),
                "lane {} is asked for twice by one job", name(ask.lane));
    auto& line = lane_of(ask).line;
    asker.places.push_back({ask, line.insert(line.end(), ticket), false});
  }
  ++waiting_;
  for (const auto& ask : asks) clear_first(lane_of(ask));
  return ticket;
}

void Lanes::clear_first(Lane& lane) {
  if (lane.line.empty()) return;
  auto& first = job(lane.line.front());
  for (auto& place : first.places) {
    if (&lane_of(place.ask) != &lane) continue;
    if (place.clear || !compatible(lane, place.ask)) return;
    place.clear = true;
    if (++first.clear == first.places.size()) admitted_.push_back(first.payload);
    return;
  }
}

bool Lanes::is_admitted(Ticket ticket) const { return job(ticket).clear == job(ticket).places.size(); }

LaneId Lanes::held_back_by(Ticket ticket) const {
  const auto& places = job(ticket).places;
  const auto found = std::find_if(places.begin(), places.end(), [](const auto& p) { return !p.clear; });
  WEIR_ASSERT(found != places.end(), "ticket {} is admitted", static_cast<std::uint32_t>(ticket));
  return found->ask.lane;
}

Lanes::Hold Lanes::take(Ticket ticket) {
  WEIR_ASSERT(is_admitted(ticket), "ticket {} is taken before it is admitted",
              static_cast<std::uint32_t>(ticket));
  auto& taker = job(ticket);
  taker.taken = true;
  --waiting_;
  ++running_;
  for (auto& place : taker.places) {
    auto& lane = lane_of(place.ask);
    lane.line.erase(place.in_line);
    lane.access = place.ask.access;
    ++lane.running;
    if (place.ask.group != kNoGroup) lane.running_groups.push_back(place.ask.group);
  }
  for (const auto& place : taker.places) clear_first(lane_of(place.ask));
  return Hold(*this, ticket);
}

void Lanes::withdraw(Ticket ticket) {
  auto& leaver = job(ticket);
  WEIR_ASSERT(!leaver.taken, "ticket {} runs already", static_cast<std::uint32_t>(ticket));
  admitted_.erase(std::remove(admitted_.begin(), admitted_.end(), leaver.payload), admitted_.end());
  --waiting_;
  for (auto& place : leaver.places) lane_of(place.ask).line.erase(place.in_line);
  const auto places = std::move(leaver.places);
  forget(ticket);
  for (const auto& place : places) clear_first(lane_of(place.ask));
}

void Lanes::leave(Ticket ticket) {
  --running_;
  const auto places = std::move(job(ticket).places);
  forget(ticket);
  for (const auto& place : places) {
    auto& lane = lane_of(place.ask);
    --lane.running;
    if (place.ask.group != kNoGroup) {
      const auto group = std::find(lane.running_groups.begin(), lane.running_groups.end(), place.ask.group);
      WEIR_ASSERT(group != lane.running_groups.end(), "lane {}: a group left that was not in it", lane.name);
      lane.running_groups.erase(group);
    }
  }
  for (const auto& place : places) clear_first(lane_of(place.ask));
}

void Lanes::forget(Ticket ticket) {
  job(ticket) = Job{};
  free_.push_back(ticket);
}

std::vector<std::uint32_t> Lanes::admitted() { return std::exchange(admitted_, {}); }

}  // namespace weir
