// A queue in the order of scheduling whose members are records of a pool: no memory of its own. Who comes in
// order, nearly everybody, stands in a list: O(1) to join, to leave and to be first. Who comes late (a job
// that waited for its cache) is in a pairing heap beside it: O(log n) amortised. The first of the queue is
// the earlier of the two firsts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/placement/chunked.h"

namespace weir {

struct QueueLink {
  static constexpr std::uint32_t kListed = 0xfffffffe;
  std::uint32_t prev = kNone;  // in the heap: the sibling before, or the parent
  std::uint32_t next = kNone;
  std::uint32_t child = kNone;  // kListed: stands in the list
};

struct QueueEnds {
  std::uint32_t first = kNone, last = kNone;  // of the list
  std::uint32_t late = kNone;                 // root of the heap
  std::uint64_t last_order =
      0;  // of the last of the list, or of one that was: who comes after it is in order for sure
  bool empty() const { return first == kNone && late == kNone; }
};

// Nodes: operator[](i) gives a record with members `link` and `order`.
template <class Nodes>
class OrderedQueue {
 public:
  OrderedQueue(Nodes& nodes, QueueEnds& ends) : nodes_(nodes), ends_(ends) {}

  std::uint32_t front() const {
    if (ends_.late == kNone) return ends_.first;
    if (ends_.first == kNone) return ends_.late;
    return nodes_[ends_.first].order < nodes_[ends_.late].order ? ends_.first : ends_.late;
  }

  void insert(std::uint32_t node) {
    if (ends_.last == kNone || ends_.last_order < nodes_[node].order ||
        nodes_[ends_.last].order < nodes_[node].order)
      put_last(node);
    else if (nodes_[node].order < nodes_[ends_.first].order)
      put_first(node);
    else
      ends_.late = meld(ends_.late, node);
  }

  void erase(std::uint32_t node) {
    if (nodes_[node].link.child == QueueLink::kListed)
      unlist(node);
    else
      remove_late(node);
    nodes_[node].link = {};
  }

  // Order is not kept. `visit` may not change this queue.
  template <class Visit>
  void for_each(Visit visit) const {
    for (auto i = ends_.first; i != kNone; i = nodes_[i].link.next) visit(i);
    std::vector<std::uint32_t> open;
    if (ends_.late != kNone) open.push_back(ends_.late);
    while (!open.empty()) {
      const auto i = open.back();
      open.pop_back();
      if (nodes_[i].link.next != kNone) open.push_back(nodes_[i].link.next);
      if (nodes_[i].link.child != kNone) open.push_back(nodes_[i].link.child);
      visit(i);
    }
  }

 private:
  void put_last(std::uint32_t node) {
    nodes_[node].link = {ends_.last, kNone, QueueLink::kListed};
    (ends_.last == kNone ? ends_.first : nodes_[ends_.last].link.next) = node;
    ends_.last = node;
    ends_.last_order = nodes_[node].order;
  }

  void put_first(std::uint32_t node) {
    nodes_[node].link = {kNone, ends_.first, QueueLink::kListed};
    nodes_[ends_.first].link.prev = node;
    ends_.first = node;
  }

  void unlist(std::uint32_t node) {
    const auto [prev, next, unused] = nodes_[node].link;
    (prev == kNone ? ends_.first : nodes_[prev].link.next) = next;
    (next == kNone ? ends_.last : nodes_[next].link.prev) = prev;
  }

  // Both are roots: without siblings.
  std::uint32_t meld(std::uint32_t a, std::uint32_t b) {
    if (a == kNone) return b;
    if (b == kNone) return a;
    if (nodes_[b].order < nodes_[a].order) std::swap(a, b);
    auto& above = nodes_[a].link;
    auto& below = nodes_[b].link;
    below.prev = a;
    below.next = above.child;
    if (above.child != kNone) nodes_[above.child].link.prev = b;
    above.child = b;
    return a;
  }

  // The children of a removed node become one heap: in pairs from the left, then from the right.
  std::uint32_t meld_siblings(std::uint32_t first) {
    std::uint32_t paired = kNone;  // linked by prev, last pair first
    while (first != kNone) {
      const auto a = first, b = nodes_[a].link.next;
      first = b == kNone ? kNone : nodes_[b].link.next;
      nodes_[a].link.prev = nodes_[a].link.next = kNone;
      if (b != kNone) nodes_[b].link.prev = nodes_[b].link.next = kNone;
      const auto root = meld(a, b);
      nodes_[root].link.prev = paired;
      paired = root;
    }
    std::uint32_t root = kNone;
    while (paired != kNone) {
      const auto rest = nodes_[paired].link.prev;
      nodes_[paired].link.prev = kNone;
      root = meld(root, paired);
      paired = rest;
    }
    return root;
  }

  void remove_late(std::uint32_t node) {
    const auto link = nodes_[node].link;
    const auto orphans = meld_siblings(link.child);
    if (node == ends_.late) {
      ends_.late = orphans;
      return;
    }
    auto& before = nodes_[link.prev].link;
    (before.child == node ? before.child : before.next) = link.next;
    if (link.next != kNone) nodes_[link.next].link.prev = link.prev;
    ends_.late = meld(ends_.late, orphans);
  }

  Nodes& nodes_;
  QueueEnds& ends_;
};

}  // namespace weir
