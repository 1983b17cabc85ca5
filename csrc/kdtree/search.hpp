// One query against a KD-tree, in float64: what decides where a packet cannot.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/topk.hpp"
#include "kdtree/keys.hpp"
#include "kdtree/part.hpp"

namespace lookalike {

struct KDQuery {
  double const* values;
  std::int64_t exclude;  // a row number, or -1
};

// Offers the rows that may be among the nearest to `best`, which is empty; returns the scale of
// its keys. `slack` is that of KDRequest.
template <class T>
double search_nearest(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                      double slack, TopK& best);

// All rows at distance <= radius, nearest first; their keys are distances.
template <class T>
std::vector<Neighbor> search_within(std::vector<KDPart<T>> const& parts, KDQuery query,
                                    Minkowski metric, double radius);

}  // namespace lookalike
