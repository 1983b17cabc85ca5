// The spanning tree of the rows of a KD-tree: each round finds the nearest row outside of every
// component, passing over boxes whose rows are all of it.
#pragma once
#include <cstddef>
#include <vector>

#include "density/spanning_forest.hpp"
#include "kdtree/kernels.hpp"
#include "kdtree/keys.hpp"
#include "kdtree/part.hpp"

namespace lookalike {

// Joins the components of `forest` until one is left; the lists say how far the neighbors are that
// every row has at least.
template <class T>
void join_by_tree(std::vector<KDPart<T>> const& parts, Minkowski metric, NeighborTable lists,
                  SpanningForest& forest, std::size_t threads);

}  // namespace lookalike
