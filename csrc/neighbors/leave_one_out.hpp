// Leave-one-out predictions of the nearest neighbors, for many sets of columns that differ by one.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/dispatch.hpp"
#include "core/view.hpp"

namespace lookalike {

enum class SetChange { add, remove };

// The sets of columns that are compared: `chosen` with each of `candidates` added or removed.
struct ColumnSets {
  View<double const> columns;  // one column of the table a row: (features, rows of the table)
  std::span<std::int64_t const> chosen;
  std::span<std::int64_t const> candidates;
  SetChange change;
};

// prediction[c][i] becomes the prediction of the k nearest other rows for row i, by candidate set
// c: the number of the class that most are of. Rows as near as the k-th vote too, and of level
// classes the next shells of equally near rows decide, in the end the smallest [Barber, 14.1].
void leave_one_out_classes(ColumnSets const& sets, std::span<std::int64_t const> code,
                           std::size_t classes, std::size_t k, std::size_t threads,
                           View<double> prediction);
// the mean of their targets, of equally near rows those of smaller number.
void leave_one_out_means(ColumnSets const& sets, std::span<double const> target, std::size_t k,
                         std::size_t threads, View<double> prediction);

// A candidate costs one difference a pair: squared distances over the chosen columns are summed
// once a row, whatever the candidates. The order of that sum is not that of the reference, so a set
// of neighbors is taken only where its rounding cannot matter; elsewhere the few rows that
// could be meant are measured again in the reference order over the columns of the set.
inline constexpr std::size_t kGroups = 32;

struct LeaveOneOutKernels {
  // base[j] += (x[j] - here)^2
  void (*add_column)(double const* x, double here, std::size_t rows, double* base);
  // moved[j] = base[j] + sign (x[j] - here)^2, and least[j % kGroups] the least of its group.
  void (*move_column)(double const* base, double const* x, double here, double sign,
                      std::size_t rows, double* moved, double* least);
  // The `width` least values below `value[width - 1]` and their rows, of equal ones the first.
  void (*pick)(double const* moved, std::size_t rows, std::size_t width, double* value,
               std::int64_t* row);
};

LOOKALIKE_SIMD_TABLE(LeaveOneOutKernels, leave_one_out_kernels)

}  // namespace lookalike
