// A queue in the order of scheduling whose members are records of a pool: no memory of its own. Who comes in
// order, nearly everybody, stands in a list: O(1) to join, to leave and to be first. Who comes late (a job
// that waited for its cache) is in a pairing heap beside it: O(log n) amortised. The first of the queue is
// the earlier of the two firsts.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/placement/steady_array.h"

namespace weir {

struct QueueLink {
  std::uint32_t prev = kNone;  // in the heap: the sibling before, or the parent
  std::uint32_t next = kNone;
};

struct QueueEnds {
  std::uint32_t first = kNone, last = kNone;  // of the list
  std::uint32_t late = kNone;                 // root of the heap
  // Of the last of the list, or of one that was: who comes after it is in order for sure.
  std::uint64_t last_order = 0;
  bool empty() const { return first == kNone && late == kNone; }
};

// Nodes: link(i) and child(i) give what the queue keeps of a record, is_late(i) and set_late(i, bool) whether
// it is in the heap, order(i) its order. A child is asked for in the heap only.
template <class Nodes>
class OrderedQueue {
 public:
  OrderedQueue(Nodes nodes, QueueEnds& ends) : nodes_(nodes), ends_(ends) {}

  std::uint32_t front() const {
    if (ends_.late == kNone) return ends_.first;
    if (ends_.first == kNone) return ends_.late;
    return nodes_.order(ends_.first) < nodes_.order(ends_.late) ? ends_.first : ends_.late;
  }

  void insert(std::uint32_t node) {
    if (ends_.last == kNone || ends_.last_order < nodes_.order(node) ||
        nodes_.order(ends_.last) < nodes_.order(node))
      put_last(node);
    else if (nodes_.order(node) < nodes_.order(ends_.first)) put_first(node);
    else put_late(node);
  }

  void erase(std::uint32_t node) {
    if (nodes_.is_late(node)) remove_late(node);
    else unlist(node);
    nodes_.link(node) = {};
  }

  // Order is not kept. `visit` may not change this queue.
  template <class Visit>
  void for_each(Visit visit) {
    for (auto i = ends_.first; i != kNone; i = nodes_.link(i).next) visit(i);
    std::vector<std::uint32_t> open;
    if (ends_.late != kNone) open.push_back(ends_.late);
    while (!open.empty()) {
      const auto i = open.back();
      open.pop_back();
      if (nodes_.link(i).next != kNone) open.push_back(nodes_.link(i).next);
      if (nodes_.child(i) != kNone) open.push_back(nodes_.child(i));
      visit(i);
    }
  }

 private:
  void put_last(std::uint32_t node) {
    nodes_.link(node) = {ends_.last, kNone};
    (ends_.last == kNone ? ends_.first : nodes_.link(ends_.last).next) = node;
    ends_.last = node;
    ends_.last_order = nodes_.order(node);
  }

  void put_first(std::uint32_t node) {
    nodes_.link(node) = {kNone, ends_.first};
    nodes_.link(ends_.first).prev = node;
    ends_.first = node;
  }

  // Few come late: those parts are kept out of the way of all others.
  [[gnu::noinline]] void put_late(std::uint32_t node) {
    nodes_.link(node) = {};
    nodes_.child(node) = kNone;
    nodes_.set_late(node, true);
    ends_.late = meld(ends_.late, node);
  }

  void unlist(std::uint32_t node) {
    const auto [prev, next] = nodes_.link(node);
    (prev == kNone ? ends_.first : nodes_.link(prev).next) = next;
    (next == kNone ? ends_.last : nodes_.link(next).prev) = prev;
  }

  // Both are roots: without siblings.
  std::uint32_t meld(std::uint32_t a, std::uint32_t b) {
    if (a == kNone) return b;
    if (b == kNone) return a;
    if (nodes_.order(b) < nodes_.order(a)) std::swap(a, b);
    const auto child = nodes_.child(a);
    nodes_.link(b) = {a, child};
    if (child != kNone) nodes_.link(child).prev = b;
    nodes_.child(a) = b;
    return a;
  }

  // The children of a removed node become one heap: in pairs from the left, then from the right.
  std::uint32_t meld_siblings(std::uint32_t first) {
    std::uint32_t paired = kNone;  // linked by prev, last pair first
    while (first != kNone) {
      const auto a = first, b = nodes_.link(a).next;
      first = b == kNone ? kNone : nodes_.link(b).next;
      nodes_.link(a).prev = nodes_.link(a).next = kNone;
      if (b != kNone) nodes_.link(b).prev = nodes_.link(b).next = kNone;
      const auto root = meld(a, b);
      nodes_.link(root).prev = paired;
      paired = root;
    }
    std::uint32_t root = kNone;
    while (paired != kNone) {
      const auto rest = nodes_.link(paired).prev;
      nodes_.link(paired).prev = kNone;
      root = meld(root, paired);
      paired = rest;
    }
    return root;
  }

  [[gnu::noinline]] void remove_late(std::uint32_t node) {
    const auto link = nodes_.link(node);
    const auto orphans = meld_siblings(nodes_.child(node));
    nodes_.set_late(node, false);
    if (node == ends_.late) {
      ends_.late = orphans;
      return;
    }
    auto& child = nodes_.child(link.prev);
    (child == node ? child : nodes_.link(link.prev).next) = link.next;
    if (link.next != kNone) nodes_.link(link.next).prev = link.prev;
    ends_.late = meld(ends_.late, orphans);
  }

  Nodes nodes_;
  QueueEnds& ends_;
};

}  // namespace weir
