// One tree of a random forest or of extra trees, grown to the bits of scikit-learn's.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/view.hpp"

namespace lookalike {

struct GrowthRows {
  View<float const> column;        // (features, rows), finite
  View<double const> target;       // (rows, outputs): numbers, or one column of classes from 0
  std::size_t classes;             // 0: targets are numbers
  std::span<double const> weight;  // (rows,) how often each counts, 0: not at all; or empty
};

struct GrowthPlan {
  bool random_thresholds;  // one for each feature tried, in the place of the best
  std::size_t tried;       // features at a node
  std::size_t min_rows;    // in a leaf
  std::size_t max_depth;   // levels below the root
};

struct GrownTree {
  std::vector<std::int32_t> node;  // three numbers a node, as TreeNode holds them
  std::vector<double> value;       // (leaves, outputs): means, or shares of the classes
  std::vector<double> importance;  // (features,) impurity that splits on each take away
};

// `seed` starts the draws of features and thresholds.
GrownTree grow_tree(GrowthRows const& rows, GrowthPlan const& plan, std::uint32_t seed);

}  // namespace lookalike
