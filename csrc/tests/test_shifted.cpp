// Rows without their shift against the plain subtraction, whichever columns are constant.
#include <vector>

#include "check.hpp"
#include "stats/shifted.hpp"

using namespace lookalike;

namespace {

template <class T>
void rows_are_shifted_where_they_differ(std::size_t rows, std::size_t cols, std::size_t period) {
  std::size_t const stride = cols + 2;
  std::vector<T> X(rows * stride), shift(cols), out(rows * cols);
  for (std::size_t j = 0; j < cols; ++j) shift[j] = static_cast<T>(j) / 2;
  auto const varies = [&](std::size_t j) { return j % period != 0 && rows > 0; };
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)  // only the last row differs from the shift
      X[i * stride + j] = shift[j] + (varies(j) && i + 1 == rows ? static_cast<T>(j + 1) : T{0});
  auto const columns = shift_rows<T>({X.data(), rows, cols, stride}, shift, out);
  std::size_t k = 0;
  for (std::size_t j = 0; j < cols; ++j) {
    if (!varies(j)) continue;
    CHECK(k < columns.size() && columns[k] == static_cast<std::int64_t>(j));
    for (std::size_t i = 0; i < rows; ++i)
      CHECK(out[i * columns.size() + k] == X[i * stride + j] - shift[j]);
    ++k;
  }
  CHECK(k == columns.size());
  std::vector<T> part(k * k);
  for (std::size_t e = 0; e < part.size(); ++e) part[e] = static_cast<T>(e);
  std::vector<double> product(cols * cols, 0.5);
  add_products<T>({part.data(), k, k, k}, columns, {product.data(), cols, cols, cols});
  for (std::size_t a = 0, e = 0; a < cols; ++a)
    for (std::size_t b = 0; b < cols; ++b) {
      bool const both = varies(a) && varies(b);
      CHECK(product[a * cols + b] == 0.5 + (both ? static_cast<double>(part[e]) : 0.0));
      if (both) ++e;
    }
}

}  // namespace

int main() {
  for (std::size_t rows : {0, 1, 63, 64, 65, 200})
    for (std::size_t cols : {1, 3, 8, 33})
      for (std::size_t period : {1, 2, 5, 100}) {
        rows_are_shifted_where_they_differ<double>(rows, cols, period);
        rows_are_shifted_where_they_differ<float>(rows, cols, period);
      }
}
