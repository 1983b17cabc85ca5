// Rows changed so that plain Euclidean distance between them is the requested distance.
//
// Sums run in the order of pairs.hpp, not in that of a BLAS, which changes with the batch: a row
// becomes the same bits alone and among others.
#pragma once
#include <cstddef>
#include <span>

#include "core/view.hpp"
#include "distance/pairs.hpp"

namespace lookalike {

// Divides every row by its length, after taking away its own mean when `center`. norm[i] is zero
// where nothing is left to divide, and row i is then zero; any magnitude of X is right.
void normalize_rows(AnyRows X, bool center, std::size_t threads, View<double> out,
                    std::span<double> norm);
// The same of sparse rows, never centered; `value` is as long as X.value.
void normalize_sparse_rows(SparseRows const& X, std::span<double> value, std::span<double> norm);

// out = (X - center) W', W of shape (out.cols, X.cols).
void map_rows(AnyRows X, std::span<double const> center, View<double const> W, std::size_t threads,
              View<double> out);

// Latitude and longitude in radians become points of the unit sphere.
void sphere_rows(View<double const> X, View<double> out);

}  // namespace lookalike
