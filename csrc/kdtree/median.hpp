// Selection of the median for a KD-tree: linear time on any data, without branches on the values.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "core/random.hpp"

namespace lookalike {

// A value with the number of its row. Equal values differ by the number, so that any two differ:
// identical points need no care of their own.
template <class T>
class Tagged;

template <>
class Tagged<float> {  // one word: an order of integers that is the order of floats, then the row
 public:
  Tagged() = default;
  Tagged(float value, std::uint32_t id) {
    std::uint32_t const bits = std::bit_cast<std::uint32_t>(value);
    std::uint32_t const flip = (0u - (bits >> 31)) | 0x80000000u;
    word_ = static_cast<std::uint64_t>(bits ^ flip) << 32 | id;
  }
  std::uint32_t id() const { return static_cast<std::uint32_t>(word_); }
  friend bool operator<(Tagged a, Tagged b) { return a.word_ < b.word_; }

 private:
  std::uint64_t word_;
};

template <>
class Tagged<double> {
 public:
  Tagged() = default;
  Tagged(double value, std::uint32_t id) : value_(value), id_(id) {}
  std::uint32_t id() const { return id_; }
  friend bool operator<(Tagged const& a, Tagged const& b) {
    return (a.value_ < b.value_) | ((a.value_ == b.value_) & (a.id_ < b.id_));
  }

 private:
  double value_;
  std::uint32_t id_;
};

// Moves the items below `pivot` to the front; returns how many there are.
template <class Item>
std::size_t partition_below(Item* items, std::size_t count, Item pivot) {
  std::size_t below = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Item const item = items[i];
    items[i] = items[below];
    items[below] = item;
    below += static_cast<std::size_t>(item < pivot);
  }
  return below;
}

// The item that `rank` of the others are below. All differ.
template <class Item>
Item order_statistic(Item const* items, std::size_t count, std::size_t rank) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t below = 0;
    for (std::size_t j = 0; j < count; ++j) below += static_cast<std::size_t>(items[j] < items[i]);
    if (below == rank) at = i;
  }
  return items[at];
}

// Reorders so that items[rank] is the one that sorting would put there, smaller ones before it.
// Pivots come from a sample, a little to the far side of `rank`: about 1.5 passes [Floyd75].
template <class Item>
void select(Item* items, std::size_t count, std::size_t rank) {
  constexpr std::size_t kSmall = 12, kMostSample = 32, kMostRounds = 60;
  Random random(count);
  for (std::size_t round = 0; count > kSmall && round < kMostRounds; ++round) {
    std::size_t const size = count < 100 ? 6 : count < 2000 ? 12 : kMostSample;
    std::size_t const lean = count < 100 ? 1 : count < 2000 ? 2 : 4;
    Item sample[kMostSample];
    for (std::size_t i = 0; i < size; ++i) {
      std::size_t const first = i * count / size, end = (i + 1) * count / size;
      sample[i] = items[first + random.below(end - first)];
    }
    std::size_t const at = rank * size / count;
    std::size_t const pick =
        2 * rank < count ? std::min(at + lean, size - 1) : (at > lean ? at - lean : 0);
    std::size_t const below = partition_below(items, count, order_statistic(sample, size, pick));
    if (rank < below) {
      count = below;
    } else {
      items += below;
      count -= below;
      rank -= below;
    }
  }
  std::nth_element(items, items + rank, items + count);
}

}  // namespace lookalike
