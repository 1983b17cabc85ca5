// How strongly rows are joined to their neighbors: by the perplexity of t-SNE, or as UMAP does.
#pragma once
#include <cstddef>

#include "core/view.hpp"

namespace lookalike {

// Row i of `affinity` becomes exp(-b_i d^2) / sum, with b_i such that exp(entropy) = perplexity, as
// far as the distances to its neighbors, nearest first, allow. Rows sum to 1.
void perplexity_affinities(View<double const> distance, double perplexity, View<double> affinity,
                           std::size_t threads);

// Row i of `affinity` becomes exp(-max(d - r_i, 0) / s_i), r_i being the distance to the nearest
// row that is not equal and s_i such that they sum to log2(neighbors) [McInnes 2018].
void fuzzy_affinities(View<double const> distance, View<double> affinity, std::size_t threads);

}  // namespace lookalike
