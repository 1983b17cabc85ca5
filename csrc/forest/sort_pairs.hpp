// Values sorted with what belongs to them, in an order of equal values that sums depend on.
#pragma once
#include <cmath>
#include <cstddef>
#include <utility>

namespace lookalike {
namespace sort_pairs_detail {

constexpr std::size_t small = 15;  // up to which insertion takes the least time

template <class Value, class Item>
void swap_pairs(Value* value, Item* item, std::size_t i, std::size_t j) {
  std::swap(value[i], value[j]);
  std::swap(item[i], item[j]);
}

template <class Value, class Item>
void sift_down(Value* value, Item* item, std::size_t root, std::size_t end) {
  for (;;) {
    std::size_t const child = 2 * root + 1;
    std::size_t largest = root;
    if (child < end && value[largest] < value[child]) largest = child;
    if (child + 1 < end && value[largest] < value[child + 1]) largest = child + 1;
    if (largest == root) return;
    swap_pairs(value, item, root, largest);
    root = largest;
  }
}

template <class Value, class Item>
void heap_sort(Value* value, Item* item, std::size_t n) {
  for (std::size_t root = (n - 2) / 2 + 1; root-- > 0;) sift_down(value, item, root, n);
  for (std::size_t end = n - 1; end > 0; --end) {
    swap_pairs(value, item, 0, end);
    sift_down(value, item, 0, end);
  }
}

template <class Value, class Item>
void insertion_sort(Value* value, Item* item, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    Value const inserted = value[i];
    Item const belongs = item[i];
    std::size_t j = i;
    for (; j > 0 && value[j - 1] > inserted; --j) {
      value[j] = value[j - 1];
      item[j] = item[j - 1];
    }
    value[j] = inserted;
    item[j] = belongs;
  }
}

template <class Value>
Value median_of_three(Value a, Value b, Value c) {
  if (a < b) return b < c ? b : (a < c ? c : a);
  if (b < c) return a < c ? a : c;
  return b;
}

template <class Value, class Item>
void intro_sort(Value* value, Item* item, std::size_t n, int depth_left) {
  while (n > small) {
    if (depth_left-- <= 0) return heap_sort(value, item, n);
    Value const pivot = median_of_three(value[0], value[n / 2], value[n - 1]);
    std::size_t i = 0, below = 0, above = n;  // [0, below) < pivot, [below, above) equal
    while (i < above) {
      if (value[i] < pivot) {
        swap_pairs(value, item, i++, below++);
      } else if (value[i] > pivot) {
        swap_pairs(value, item, i, --above);
      } else {
        ++i;
      }
    }
    intro_sort(value, item, below, depth_left);
    value += above;
    item += above;
    n -= above;
  }
  insertion_sort(value, item, n);
}

}  // namespace sort_pairs_detail

// Sorts by value in three parts around a pivot [Bentley and McIlroy 1993], as scikit-learn does.
template <class Value, class Item>
void sort_pairs(Value* value, Item* item, std::size_t n) {
  if (n == 0) return;
  int const depth = 2 * static_cast<int>(std::log2(static_cast<double>(n)));
  sort_pairs_detail::intro_sort(value, item, n, depth);
}

}  // namespace lookalike
