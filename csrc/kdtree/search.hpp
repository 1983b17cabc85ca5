// One query against a KD-tree, in float64: what decides where a packet cannot.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/view.hpp"
#include "kdtree/keys.hpp"
#include "kdtree/part.hpp"

namespace lookalike {

struct Found {
  double key;
  std::int64_t row;
  friend bool operator<(Found const& a, Found const& b) {
    return (a.key < b.key) | ((a.key == b.key) & (a.row < b.row));
  }
};

struct Neighbors {  // both of shape (queries, k)
  View<double> distance;
  View<std::int64_t> row;
};

struct KDQuery {
  double const* values;
  std::int64_t exclude;  // a row number, or -1
};

// The k smallest keys in order; fewer only where there are fewer rows. `best` is overwritten; the
// scale of its keys is returned.
template <class T>
double search_nearest(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                      std::size_t k, double slack, std::vector<Found>& best);

// The same for all rows at distance <= radius.
template <class T>
double search_within(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                     double radius, std::vector<Found>& found);

}  // namespace lookalike
