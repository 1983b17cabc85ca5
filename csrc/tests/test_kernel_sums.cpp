// Sums of kernels: those of the plain loop, alike at every level and on any number of threads.
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "check.hpp"
#include "density/kernel_sums.hpp"

using namespace lookalike;

namespace {

void exponentials_are_right(KernelSumKernels const& kernels) {
  std::vector<double> weight(kPanelRows, 0.0), key(kPanelRows, 0.0);
  weight[3] = 1.0;
  for (double x = 0.0; x < 760.0; x += 0.37) {
    key[3] = x;
    double const inverse = 1.0;
    double lanes[kLanes] = {};
    kernels.add(key.data(), weight.data(), 0.0, &inverse, 1, lanes);
    double const expected = std::exp(-x);
    if (expected < 1e-307)
      CHECK(lanes[3] == 0.0);
    else
      CHECK(std::abs(lanes[3] - expected) <= 2e-15 * expected);
  }
  key[3] = std::numeric_limits<double>::infinity();
  double const inverse = std::numeric_limits<double>::max();
  double lanes[kLanes] = {};
  kernels.add(key.data(), weight.data(), 0.0, &inverse, 1, lanes);
  CHECK(lanes[3] == 0.0);
}

struct Case {
  std::size_t cols, rows = 150, queries = 53;
  std::vector<double> X, Q, weight, nearest, inverse{1e-5, 1e-4};
  std::vector<std::int64_t> row, exclude, first_panel{0, 2, 3};
  std::vector<std::uint8_t> code;
  std::vector<std::int8_t> query_code;
  std::vector<double> norm;

  Case(std::mt19937& random, std::size_t columns) : cols(columns) {
    auto const draw = [&](std::vector<double>& values, std::size_t count) {
      for (std::size_t i = 0; i < count * cols; ++i)
        values.push_back(static_cast<double>(random() % 256) - 128.0);
    };
    draw(X, rows);
    draw(Q, queries);
    row.assign(3 * kPanelRows, -1);
    for (std::size_t i = 0; i < 100; ++i) row[i] = static_cast<std::int64_t>(i);
    for (std::size_t i = 100; i < rows; ++i)
      row[2 * kPanelRows + i - 100] = static_cast<std::int64_t>(i);
    weight.assign(row.size(), 0.0);
    code.assign(row.size() * cols, kCodeShift);
    norm.assign(row.size(), 0.0);
    for (std::size_t at = 0; at < row.size(); ++at) {
      if (row[at] < 0) continue;
      weight[at] = 1.0 + static_cast<double>(at % 3);
      for (std::size_t j = 0; j < cols; ++j) {
        double const value = X[static_cast<std::size_t>(row[at]) * cols + j];
        norm[at] += value * value;
        if (cols % 4 == 0)
          code[at / kPanelRows * kPanelRows * cols + panel_byte(at % kPanelRows, j)] =
              static_cast<std::uint8_t>(value + kCodeShift);
      }
    }
    for (double const value : Q) query_code.push_back(static_cast<std::int8_t>(value));
    for (std::size_t q = 0; q < queries; ++q) {
      exclude.push_back(q % 4 == 0 ? static_cast<std::int64_t>(q) : -1);
      nearest.push_back(static_cast<double>(100 * q));
    }
  }

  KernelSumRows rows_of() const { return {row, weight, first_panel}; }
  KernelSumQueries query_options(std::size_t threads) const {
    return {nearest, exclude, inverse, threads};
  }

  std::vector<double> direct(std::size_t threads) const {
    std::vector<double> sum(queries * 4);
    View<double const> const values{X.data(), rows, cols, cols},
        queries_view{Q.data(), queries, cols, cols};
    kernel_sums(AnyRows(values), rows_of(), AnyRows(queries_view), query_options(threads),
                {sum.data(), queries, 4, 4});
    return sum;
  }

  std::vector<double> coded(std::size_t threads) const {
    std::vector<double> sum(queries * 4);
    kernel_sums(KernelSumCodes{code, norm, cols, 1.0}, rows_of(),
                {query_code.data(), queries, cols, cols}, query_options(threads),
                {sum.data(), queries, 4, 4});
    return sum;
  }

  // Whole numbers are at no distance from their codes: rows beyond the reach alone are left out.
  std::vector<double> filtered(std::size_t threads, double reach) const {
    std::vector<double> sum(queries * 4), off(row.size(), 0.0), reaches(queries, reach);
    View<double const> const values{X.data(), rows, cols, cols},
        queries_view{Q.data(), queries, cols, cols};
    kernel_sums(AnyRows(values), KernelSumCodes{code, norm, cols, 1.0},
                KernelSumFilter{off, reaches}, rows_of(), AnyRows(queries_view),
                {query_code.data(), queries, cols, cols}, query_options(threads),
                {sum.data(), queries, 4, 4});
    return sum;
  }

  double plainly(std::size_t q, std::size_t width, std::size_t label,
                 double reach = std::numeric_limits<double>::infinity()) const {
    double sum = 0.0;
    auto const from = static_cast<std::size_t>(first_panel[label]) * kPanelRows;
    auto const end = static_cast<std::size_t>(first_panel[label + 1]) * kPanelRows;
    for (std::size_t at = from; at < end; ++at) {
      if (row[at] < 0 || exclude[q] == static_cast<std::int64_t>(at)) continue;
      double key = 0.0;
      for (std::size_t j = 0; j < cols; ++j) {
        double const gap = Q[q * cols + j] - X[static_cast<std::size_t>(row[at]) * cols + j];
        key += gap * gap;
      }
      if (key <= reach * reach)
        sum += weight[at] * std::exp(-std::max(0.0, key - nearest[q]) * inverse[width]);
    }
    return sum;
  }
};

void sums_are_right(Case const& one) {
  auto const ours = one.direct(1);
  for (std::size_t q = 0; q < one.queries; ++q)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t c = 0; c < 2; ++c) {
        double const expected = one.plainly(q, b, c);
        CHECK(std::abs(ours[q * 4 + b * 2 + c] - expected) <= 1e-13 * expected + 1e-300);
      }
  for (std::size_t threads : {1u, 2u, 3u}) {
    CHECK(std::memcmp(ours.data(), one.direct(threads).data(), ours.size() * 8) == 0);
    if (one.cols % 4 == 0)
      CHECK(std::memcmp(ours.data(), one.coded(threads).data(), ours.size() * 8) == 0);
  }
}

void rows_beyond_the_reach_are_left_out(Case const& one, double reach) {
  auto const ours = one.filtered(1, reach);
  for (std::size_t q = 0; q < one.queries; ++q)
    for (std::size_t b = 0; b < 2; ++b)
      for (std::size_t c = 0; c < 2; ++c) {
        double const expected = one.plainly(q, b, c, reach);
        CHECK(std::abs(ours[q * 4 + b * 2 + c] - expected) <= 1e-13 * expected + 1e-300);
      }
  CHECK(std::memcmp(ours.data(), one.filtered(3, reach).data(), ours.size() * 8) == 0);
}

bool same_keys(KernelSumKernels const& kernels, KernelSumKernels const& others) {
  std::mt19937 random(5);
  std::vector<double> query(5 * 24, 0.0), row(7 * 21), left(5 * kPanelRows), right(left);
  for (double& value : row) value = static_cast<double>(random()) * 1e-9;
  for (std::size_t i = 0; i < query.size(); ++i)
    if (i % 24 < 21) query[i] = static_cast<double>(random()) * 1e-9;
  double const* rows[7];
  for (std::size_t i = 0; i < 7; ++i) rows[i] = row.data() + i * 21;
  kernels.of_double(query.data(), 24, 5, rows, 7, 21, left.data());
  others.of_double(query.data(), 24, 5, rows, 7, 21, right.data());
  std::vector<double> const off(kPanelRows, 0.01);
  if (kernels.near(left.data(), off.data(), 4.0) != others.near(right.data(), off.data(), 4.0))
    return false;
  std::int32_t dot[kPanelRows];
  for (std::size_t i = 0; i < kPanelRows; ++i) dot[i] = static_cast<std::int32_t>(random());
  kernels.of_codes(dot, off.data(), 7.0, 0.3, left.data() + 4 * kPanelRows);
  others.of_codes(dot, off.data(), 7.0, 0.3, right.data() + 4 * kPanelRows);
  double lanes[2][2 * kLanes] = {};
  std::vector<double> const weight(kPanelRows, 0.7);
  double const inverse[] = {0.3, 7.0};
  kernels.add(left.data(), weight.data(), 0.1, inverse, 2, lanes[0]);
  others.add(right.data(), weight.data(), 0.1, inverse, 2, lanes[1]);
  return left == right && std::memcmp(lanes[0], lanes[1], sizeof lanes[0]) == 0;
}

}  // namespace

int main() {
  for (auto const* kernels : LOOKALIKE_AVAILABLE(kernel_sum_kernels)) {
    exponentials_are_right(*kernels);
    CHECK(same_keys(simd::generic::kernel_sum_kernels, *kernels));
  }
  std::mt19937 random(3);
  for (std::size_t cols : {1u, 3u, 4u, 8u, 20u, 100u}) {
    Case const one(random, cols);
    sums_are_right(one);
    for (double reach : {0.0, 300.0, 450.0, 1e9})
      if (cols % 4 == 0) rows_beyond_the_reach_are_left_out(one, reach);
  }
  return 0;
}
