// Rows of a KD-tree that have enough rows within a radius, and the components that chains of such
// rows make: boxes that lie within the radius as a whole are never looked into.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kdtree/keys.hpp"
#include "kdtree/part.hpp"

namespace lookalike {

// core[row] = whether at least `least` rows, itself among them, are at distance <= radius.
template <class T>
void find_core_rows(std::vector<KDPart<T>> const& parts, Minkowski metric, double radius,
                    std::size_t least, std::span<std::uint8_t> core, std::size_t threads);

// parent[row] = the smallest core row that steps of at most the radius, from core row to core row,
// lead to; rows that are not core rows are their own parents.
template <class T>
void find_components(std::vector<KDPart<T>> const& parts, Minkowski metric, double radius,
                     std::span<std::uint8_t const> core, std::span<std::int64_t> parent,
                     std::size_t threads);

}  // namespace lookalike
