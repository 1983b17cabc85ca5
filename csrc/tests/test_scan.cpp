// The scan against the obvious double loop, on several threads, for every form and kind of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "distance/pairs.hpp"
#include "distance/scan.hpp"
#include "tests/check.hpp"

using namespace lookalike;

namespace {

template <class T>
std::vector<T> some_rows(std::size_t rows, std::size_t cols, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int> value(0, 9);
  std::vector<T> data(rows * cols);
  for (T& x : data) x = static_cast<T>(value(generator));
  return data;
}

double fold(std::vector<double> lane) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2)
    for (std::size_t l = 0; l < half; ++l) lane[l] += lane[l + half];
  return lane[0];
}

template <class T>
double reference_key(MetricForm form, T const* q, T const* x, std::size_t cols) {
  std::vector<double> lane(kLanes, 0.0);
  double most = 0.0;
  for (std::size_t j = 0; j < cols; ++j) {
    double const a = static_cast<double>(q[j]), b = static_cast<double>(x[j]);
    most = std::max(most, std::abs(a - b));
    if (form == MetricForm::squared) lane[j % kLanes] += (a - b) * (a - b);
    if (form == MetricForm::manhattan) lane[j % kLanes] += std::abs(a - b);
    if (form == MetricForm::dot) lane[j % kLanes] += a * b;
    if (form == MetricForm::hamming) lane[j % kLanes] += a != b ? 1.0 : 0.0;
  }
  return form == MetricForm::chebyshev ? most
         : form == MetricForm::dot     ? 0.0 - fold(lane)
                                       : fold(lane);
}

void expect_nearest(Pairs const& pairs, std::vector<double> const& keys, std::size_t threads) {
  std::size_t const k = std::min<std::size_t>(7, pairs.rows());
  std::vector<double> key(pairs.queries() * k);
  std::vector<std::int64_t> row(pairs.queries() * k);
  scan_nearest(pairs, {}, threads, {key.data(), pairs.queries(), k, k},
               {row.data(), pairs.queries(), k, k});
  for (std::size_t i = 0; i < pairs.queries(); ++i) {
    double const* const of_query = keys.data() + i * pairs.rows();
    std::vector<std::int64_t> order(pairs.rows());
    for (std::size_t j = 0; j < order.size(); ++j) order[j] = static_cast<std::int64_t>(j);
    std::ranges::stable_sort(
        order, [&](std::int64_t a, std::int64_t b) { return of_query[a] < of_query[b]; });
    for (std::size_t j = 0; j < k; ++j) {
      CHECK(row[i * k + j] == order[j]);
      CHECK(key[i * k + j] == of_query[order[j]]);
    }
  }
}

template <class T>
void dense_forms_equal_the_double_loop() {
  for (std::size_t const cols : {1U, 5U, 8U, 19U}) {
    std::size_t const queries = 21, rows = 270;
    auto const Q = some_rows<T>(queries, cols, 1), X = some_rows<T>(rows, cols, 2);
    std::vector<double> const ones(cols, 1.0);
    for (MetricForm const form : {MetricForm::squared, MetricForm::manhattan, MetricForm::chebyshev,
                                  MetricForm::dot, MetricForm::hamming}) {
      std::vector<double> keys(queries * rows);
      for (std::size_t i = 0; i < queries; ++i)
        for (std::size_t j = 0; j < rows; ++j)
          keys[i * rows + j] = reference_key(form, Q.data() + i * cols, X.data() + j * cols, cols);
      PairMetric rule;
      rule.form = form;
      rule.weight = ones;
      auto const pairs = dense_pairs(View<T const>{Q.data(), queries, cols, cols},
                                     View<T const>{X.data(), rows, cols, cols}, rule);
      for (std::size_t const threads : {1U, 3U}) expect_nearest(*pairs, keys, threads);
    }
  }
}

void few_queries_share_the_rows() {
  auto const Q = some_rows<double>(1, 3, 3), X = some_rows<double>(20000, 3, 4);
  auto const pairs = dense_pairs(View<double const>{Q.data(), 1, 3, 3},
                                 View<double const>{X.data(), 20000, 3, 3}, {});
  std::vector<double> keys(20000);
  for (std::size_t j = 0; j < keys.size(); ++j)
    keys[j] = reference_key(MetricForm::squared, Q.data(), X.data() + j * 3, 3);
  for (std::size_t const threads : {1U, 2U, 4U, 9U}) expect_nearest(*pairs, keys, threads);
}

void within_returns_all_up_to_the_limit_in_order() {
  auto const X = some_rows<std::uint8_t>(5000, 4, 5);
  View<std::uint8_t const> const rows{X.data(), 5000, 4, 4};
  auto const pairs = dense_pairs(View<std::uint8_t const>{X.data(), 2, 4, 4}, rows, {});
  std::vector<double> const most{10.0, -1.0};
  std::vector<std::int64_t> const exclude{0, 1};
  RadiusNeighbors const one = scan_within(*pairs, most, exclude, 1);
  RadiusNeighbors const four = scan_within(*pairs, most, exclude, 4);
  CHECK(one.key == four.key && one.row == four.row && one.start == four.start);
  CHECK(one.start[1] == one.start[2] && one.start[0] == 0);
  std::int64_t expected = 0;
  for (std::size_t j = 1; j < 5000; ++j)
    expected += reference_key(MetricForm::squared, X.data(), X.data() + j * 4, 4) <= 10.0;
  CHECK(one.start[1] == expected);
  for (std::size_t i = 1; i < one.key.size(); ++i)
    CHECK(one.key[i - 1] < one.key[i] ||
          (one.key[i - 1] == one.key[i] && one.row[i - 1] < one.row[i]));
}

void sparse_rows_equal_dense_rows() {
  std::size_t const rows = 90, cols = 21;
  auto X = some_rows<double>(rows, cols, 6);
  for (double& x : X) x = x < 7 ? 0.0 : x / 3.0;
  std::vector<std::int64_t> start{0};
  std::vector<std::int32_t> column;
  std::vector<double> value;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < cols; ++j)
      if (X[i * cols + j] != 0.0) {
        column.push_back(static_cast<std::int32_t>(j));
        value.push_back(X[i * cols + j]);
      }
    start.push_back(static_cast<std::int64_t>(column.size()));
  }
  SparseRows const sparse{start, column, value, cols};
  for (MetricForm const form :
       {MetricForm::squared, MetricForm::manhattan, MetricForm::chebyshev, MetricForm::dot}) {
    std::vector<double> keys(rows * rows);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < rows; ++j)
        keys[i * rows + j] = reference_key(form, X.data() + i * cols, X.data() + j * cols, cols);
    expect_nearest(*sparse_pairs(sparse, sparse, form), keys, 3);
  }
  bool refused = false;
  try {
    sparse_pairs(sparse, sparse, MetricForm::gower);
  } catch (std::invalid_argument const&) {
    refused = true;
  }
  CHECK(refused);
}

void sets_are_compared_as_bits() {
  std::vector<std::uint64_t> const sets{0, 0, 0b1011, 1, 0b0011, 1, ~0ULL, ~0ULL};
  View<std::uint64_t const> const rows{sets.data(), 4, 2, 2};
  std::vector<double> keys(16);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      int both = 0, either = 0;
      for (std::size_t bit = 0; bit < 128; ++bit) {
        bool const a = sets[i * 2 + bit / 64] >> bit % 64 & 1U;
        bool const b = sets[j * 2 + bit / 64] >> bit % 64 & 1U;
        both += a && b;
        either += a || b;
      }
      keys[i * 4 + j] = either == 0 ? 0.0 : static_cast<double>(either - both) / either;
    }
  expect_nearest(*set_pairs(rows, rows, SetForm::jaccard, 64 * rows.cols), keys, 2);
  expect_nearest(*given_pairs({keys.data(), 4, 4, 4}), keys, 2);
}

void a_function_that_returns_nan_stops_the_scan() {
  auto const X = some_rows<float>(50, 2, 7);
  PairMetric rule;
  rule.form = MetricForm::function;
  rule.call = [](double const*, double const*, std::size_t) { return std::nan(""); };
  View<float const> const rows{X.data(), 50, 2, 2};
  double key = 0.0;
  std::int64_t row = 0;
  bool stopped = false;
  try {
    scan_nearest(*dense_pairs(View<float const>{X.data(), 1, 2, 2}, rows, rule), {}, 2,
                 {&key, 1, 1, 1}, {&row, 1, 1, 1});
  } catch (std::domain_error const&) {
    stopped = true;
  }
  CHECK(stopped);
}

}  // namespace

int main() {
  dense_forms_equal_the_double_loop<float>();
  dense_forms_equal_the_double_loop<double>();
  dense_forms_equal_the_double_loop<std::uint8_t>();
  dense_forms_equal_the_double_loop<std::int8_t>();
  few_queries_share_the_rows();
  within_returns_all_up_to_the_limit_in_order();
  sparse_rows_equal_dense_rows();
  sets_are_compared_as_bits();
  a_function_that_returns_nan_stops_the_scan();
}
