// Rows embedded alone, among others and on several threads are the same, and what they should be.
#include <cmath>
#include <vector>

#include "distance/transform.hpp"
#include "tests/check.hpp"

using namespace lookalike;

namespace {

void normalized_rows_have_length_one_at_any_magnitude() {
  std::vector<double> const X{3, 4, 0, 3e200, 4e200, 0, 3e-200, 4e-200, 0, 5e-324, 0, 0, 0, 0, 0};
  std::vector<double> out(15), again(15), norm(5);
  normalize_rows(View<double const>{X.data(), 5, 3, 3}, false, 1, {out.data(), 5, 3, 3}, norm);
  normalize_rows(View<double const>{X.data(), 5, 3, 3}, false, 3, {again.data(), 5, 3, 3}, norm);
  CHECK(out == again);
  CHECK(out[0] == 0.6 && out[1] == 0.8);
  for (std::size_t const at : {3U, 6U}) CHECK(std::abs(out[at] - 0.6) < 1e-15);
  CHECK(out[9] == 1.0);
  CHECK(norm[0] == 5.0 && norm[4] == 0.0 && out[12] == 0.0);
}

void a_constant_row_has_no_direction_once_centered() {
  std::vector<float> const X{0.1F, 0.1F, 0.1F, 1.0F, 2.0F, 3.0F};
  std::vector<double> out(6), norm(2);
  normalize_rows(View<float const>{X.data(), 2, 3, 3}, true, 1, {out.data(), 2, 3, 3}, norm);
  CHECK(norm[0] == 0.0 && out[0] == 0.0);
  CHECK(std::abs(out[3] + std::sqrt(0.5)) < 1e-15 && out[4] == 0.0);
}

void sparse_rows_are_normalized_like_dense_ones() {
  std::vector<double> const X{0, 1.5, 0, 0, 0, 0, 0, 0, 0, 2.5, 0, 0.1};
  std::vector<std::int64_t> const start{0, 3};
  std::vector<std::int32_t> const column{1, 9, 11};
  std::vector<double> const value{1.5, 2.5, 0.1};
  std::vector<double> dense(12), sparse(3), norm(1), other(1);
  normalize_rows(View<double const>{X.data(), 1, 12, 12}, false, 1, {dense.data(), 1, 12, 12},
                 norm);
  normalize_sparse_rows({start, column, value, 12}, sparse, other);
  CHECK(norm == other);
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(sparse[i] == dense[static_cast<std::size_t>(column[i])]);
}

void mapped_rows_do_not_depend_on_their_company() {
  std::size_t const rows = 150, cols = 10, axes = 3;
  std::vector<float> X(rows * cols);
  for (std::size_t i = 0; i < X.size(); ++i) X[i] = static_cast<float>(std::sin(i));
  std::vector<double> W(axes * cols), center(cols, 0.25), all(rows * axes), one(axes);
  for (std::size_t i = 0; i < W.size(); ++i) W[i] = std::cos(static_cast<double>(i));
  View<double const> const map{W.data(), axes, cols, cols};
  map_rows(View<float const>{X.data(), rows, cols, cols}, center, map, 4,
           {all.data(), rows, axes, axes});
  for (std::size_t i = 0; i < rows; ++i) {
    map_rows(View<float const>{X.data() + i * cols, 1, cols, cols}, center, map, 1,
             {one.data(), 1, axes, axes});
    for (std::size_t a = 0; a < axes; ++a) {
      CHECK(one[a] == all[i * axes + a]);
      double sum = 0.0;
      for (std::size_t j = 0; j < cols; ++j)
        sum += W[a * cols + j] * (static_cast<double>(X[i * cols + j]) - center[j]);
      CHECK(std::abs(sum - one[a]) < 1e-14);
    }
  }
}

}  // namespace

int main() {
  normalized_rows_have_length_one_at_any_magnitude();
  a_constant_row_has_no_direction_once_centered();
  sparse_rows_are_normalized_like_dense_ones();
  mapped_rows_do_not_depend_on_their_company();
}
