// Rows read one at a time as float64, dense or sparse.
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>

#include "core/any_rows.hpp"
#include "core/prefetch.hpp"
#include "distance/pairs.hpp"
#include "kmeans/assign_kernels.hpp"

namespace lookalike {

class RowReader {
 public:
  RowReader(AnyRows rows) : dense_(rows) {}      // NOLINT: implicit, a reader of these rows
  RowReader(SparseRows rows) : sparse_(rows) {}  // NOLINT: likewise

  std::size_t rows() const { return sparse_ ? sparse_->rows() : dense_.rows(); }
  std::size_t cols() const { return sparse_ ? sparse_->cols : dense_.cols(); }
  bool is_sparse() const { return sparse_.has_value(); }
  SparseRows const& sparse() const { return *sparse_; }

  // Writes `count` rows one after another.
  void load(std::size_t row, std::size_t count, double* out) const {
    if (!sparse_) {
      dense_.visit([&](auto X) {
        for (std::size_t i = 0; i < count; ++i, out += X.cols)
          widen(X.data + (row + i) * X.stride, X.cols, out);
      });
      return;
    }
    std::fill_n(out, count * sparse_->cols, 0.0);
    for (std::size_t i = row; i < row + count; ++i, out += sparse_->cols)
      for (auto at = sparse_->start[i]; at < sparse_->start[i + 1]; ++at) {
        auto const place = static_cast<std::size_t>(at);
        out[static_cast<std::size_t>(sparse_->column[place])] = sparse_->value[place];
      }
  }

  // Fetches the beginning of a row that is loaded soon; the processor fetches the rest by itself.
  void prefetch(std::size_t row) const {
    constexpr std::size_t most = 256;
    if (sparse_) return;
    dense_.visit([&](auto X) {
      lookalike::prefetch(X.data + row * X.stride, std::min(most, X.cols * sizeof *X.data));
    });
  }

 private:
  static void widen(double const* x, std::size_t count, double* out) { std::copy_n(x, count, out); }
  static void widen(float const* x, std::size_t count, double* out) {
    LOOKALIKE_CHOOSE(assign_kernels).widen_float(x, count, out);
  }
  static void widen(std::uint8_t const* x, std::size_t count, double* out) {
    LOOKALIKE_CHOOSE(assign_kernels).widen_uint8(x, count, out);
  }
  static void widen(std::int8_t const* x, std::size_t count, double* out) {
    LOOKALIKE_CHOOSE(assign_kernels).widen_int8(x, count, out);
  }

  AnyRows dense_;
  std::optional<SparseRows> sparse_;
};

}  // namespace lookalike
