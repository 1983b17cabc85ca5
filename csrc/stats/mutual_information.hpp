// Mutual information of a column of numbers with classes or with numbers, by nearest neighbors.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/view.hpp"

namespace lookalike {

// Row j of `columns` is one column of numbers, NaN where a value is missing; row j of `out`
// receives the estimate in nats, which may be negative, and its standard error over the points.
// Columns are spread over the threads, and their results do not depend on it.

// With classes [Ross14]: psi(N) + <psi(k) - psi(N_c) - psi(m)>, where m points of any class lie
// nearer than the k-th neighbor within the class. Points alone in their class are left out.
void mutual_information_with_classes(View<double const> columns, std::span<std::int64_t const> code,
                                     std::size_t classes, std::size_t neighbors,
                                     std::size_t threads, View<double> out);

// With numbers [Kraskov04]: psi(N) + <psi(k) - psi(n_x) - psi(n_y)>, where n_x and n_y points lie
// nearer along one axis than the k-th neighbor does in the maximum norm of both.
void mutual_information_with_numbers(View<double const> columns, std::span<double const> target,
                                     std::size_t neighbors, std::size_t threads, View<double> out);

// Both are right for points in general position: where values repeat, break the ties first.

}  // namespace lookalike
