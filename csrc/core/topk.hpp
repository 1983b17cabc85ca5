// The k nearest of the rows offered so far: smallest key first, equal keys by row number.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace lookalike {

struct Neighbor {
  double key;
  std::int64_t row;

  friend bool operator<(Neighbor const& left, Neighbor const& right) {
    return left.key < right.key || (left.key == right.key && left.row < right.row);
  }
};

// A bounded heap in borrowed slots. The order of arrival never shows.
class TopK {
 public:
  static constexpr bool kTightens = true;  // worst() falls while rows are offered

  TopK() = default;
  // Rows with a key above `limit` are refused from the start.
  explicit TopK(std::span<Neighbor> slots, double limit = std::numeric_limits<double>::infinity())
      : slots_(slots), limit_(limit) {}

  void offer(Neighbor found) {
    if (size_ < slots_.size()) {
      if (found.key > limit_) return;
      slots_[size_++] = found;
      std::push_heap(slots_.begin(), slots_.begin() + end());
    } else if (size_ > 0 && found < slots_[0]) {
      std::pop_heap(slots_.begin(), slots_.end());
      slots_[size_ - 1] = found;
      std::push_heap(slots_.begin(), slots_.end());
    }
  }

  // No row with a larger key can still enter; one with this very key can, if its number is small.
  double worst() const {
    return size_ > 0 && size_ == slots_.size() ? std::min(limit_, slots_[0].key) : limit_;
  }

  // Puts the rows kept in order, and returns them; nothing may be offered afterwards.
  std::span<Neighbor const> sorted() {
    std::sort_heap(slots_.begin(), slots_.begin() + end());
    return slots_.first(size_);
  }

 private:
  std::ptrdiff_t end() const { return static_cast<std::ptrdiff_t>(size_); }

  std::span<Neighbor> slots_;
  std::size_t size_ = 0;
  double limit_ = std::numeric_limits<double>::infinity();
};

}  // namespace lookalike
