// Neighbors of one query: the k nearest of the rows offered so far, or all rows within a radius.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/view.hpp"

namespace lookalike {

// A row and its key: what is compared, such as the squared distance. Equal keys go by row number.
struct Neighbor {
  double key;
  std::int64_t row;

  friend bool operator<(Neighbor const& a, Neighbor const& b) {
    return a.key < b.key || (a.key == b.key && a.row < b.row);
  }
};

// Where a search writes the nearest rows of every query, nearest first; both of shape (queries, k).
struct NeighborTable {
  View<double> distance;
  View<std::int64_t> row;
};

// The k smallest neighbors in borrowed slots, a bounded heap once these are full. The order of
// arrival never shows.
class TopK {
 public:
  static constexpr bool kTightens = true;  // bound() falls while rows are offered

  TopK() = default;
  // Rows with a key above `limit` are refused from the start.
  explicit TopK(std::span<Neighbor> slots, double limit = std::numeric_limits<double>::infinity())
      : slots_(slots), limit_(limit) {}

  void offer(Neighbor neighbor) {
    if (size_ < slots_.size()) {
      if (neighbor.key > limit_) return;
      slots_[size_++] = neighbor;
      if (full()) std::make_heap(slots_.begin(), slots_.end());
    } else if (size_ > 0 && neighbor < slots_[0]) {
      std::pop_heap(slots_.begin(), slots_.end());
      slots_[size_ - 1] = neighbor;
      std::push_heap(slots_.begin(), slots_.end());
    }
  }

  bool full() const { return size_ == slots_.size(); }
  // The farthest neighbor kept, once all slots are full: the next to be replaced.
  Neighbor const& farthest() const { return slots_[0]; }
  // No row with a larger key can still enter; one with this very key can, if its number is small.
  double bound() const { return size_ > 0 && full() ? std::min(limit_, farthest().key) : limit_; }

  // Sorts the neighbors kept, and returns them; nothing may be offered afterwards.
  std::span<Neighbor const> sorted() {
    std::sort(slots_.begin(), slots_.begin() + end());
    return slots_.first(size_);
  }

 private:
  std::ptrdiff_t end() const { return static_cast<std::ptrdiff_t>(size_); }

  std::span<Neighbor> slots_;
  std::size_t size_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();
};

// All neighbors whose key is at most `limit`.
class RadiusCollector {
 public:
  static constexpr bool kTightens = false;

  RadiusCollector() = default;
  explicit RadiusCollector(double limit) : limit_(limit) {}

  void offer(Neighbor neighbor) {
    if (neighbor.key <= limit_) neighbors_.push_back(neighbor);
  }
  double bound() const { return limit_; }
  std::span<Neighbor const> sorted() {
    std::sort(neighbors_.begin(), neighbors_.end());
    return neighbors_;
  }

 private:
  double limit_ = -1.0;
  std::vector<Neighbor> neighbors_;
};

// The neighbors within a radius of many queries: those of query i lie at [start[i], start[i + 1]).
struct RadiusNeighbors {
  std::vector<double> key;
  std::vector<std::int64_t> row;
  std::vector<std::int64_t> start{0};

  void append(std::span<Neighbor const> of_one_query);
};

// Joins the neighbors of every query and frees the lists one by one.
RadiusNeighbors join_queries(std::vector<std::vector<Neighbor>>&& of_query);

}  // namespace lookalike
