// Rows found for every query, handed to Python as flat arrays without a copy.
#pragma once
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "kdtree/search.hpp"

namespace lookalike::bind {

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> hand_over(std::vector<T>&& values) {
  auto* const owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}

inline nb::tuple gather(std::vector<std::vector<Found>> const& found,
                        std::span<std::int64_t> start) {
  std::vector<double> distance;
  std::vector<std::int64_t> row;
  for (std::size_t i = 0; i < found.size(); ++i) {
    start[i] = static_cast<std::int64_t>(row.size());
    for (Found const& one : found[i]) {
      distance.push_back(one.key);
      row.push_back(one.row);
    }
  }
  start[found.size()] = static_cast<std::int64_t>(row.size());
  return nb::make_tuple(hand_over(std::move(distance)), hand_over(std::move(row)));
}

}  // namespace lookalike::bind
