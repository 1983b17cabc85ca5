#include "core/topk.hpp"

namespace lookalike {

void RadiusNeighbors::append(std::span<Neighbor const> of_one_query) {
  for (Neighbor const& neighbor : of_one_query) {
    key.push_back(neighbor.key);
    row.push_back(neighbor.row);
  }
  start.push_back(static_cast<std::int64_t>(row.size()));
}

RadiusNeighbors join_queries(std::vector<std::vector<Neighbor>>&& of_query) {
  std::size_t total = 0;
  for (auto const& neighbors : of_query) total += neighbors.size();
  RadiusNeighbors joined;
  joined.key.reserve(total);
  joined.row.reserve(total);
  joined.start.reserve(of_query.size() + 1);
  for (auto& neighbors : of_query) {
    joined.append(neighbors);
    neighbors = {};
  }
  return joined;
}

}  // namespace lookalike
