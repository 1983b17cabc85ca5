// Neighbors within a radius, handed to Python as flat arrays without a copy.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bind/arrays.hpp"
#include "core/topk.hpp"

namespace lookalike::bind {

template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> hand_over(std::vector<T>&& values) {
  auto* const owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {owned->data(), {owned->size()}, owner};
}

inline nb::tuple gather(RadiusNeighbors&& within, std::span<std::int64_t> start) {
  std::ranges::copy(within.start, start.begin());
  return nb::make_tuple(hand_over(std::move(within.key)), hand_over(std::move(within.row)));
}

}  // namespace lookalike::bind
