// Every vector level gives the bits of the plain eight-lane sum, and the error of a key is bounded.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "check.hpp"
#include "distance/distance.hpp"

using namespace lookalike;

namespace {

template <class T>
double slow_key(double const* q, T const* x, std::size_t cols) {
  double lanes[8] = {};
  for (std::size_t j = 0; j < cols; ++j) {
    double const gap = q[j] - static_cast<double>(x[j]);
    lanes[j % 8] += gap * gap;
  }
  for (std::size_t half = 4; half > 0; half /= 2)
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  return lanes[0];
}

template <class T>
void levels_agree(std::mt19937& random, std::size_t cols, DistanceKernel<T> kernel) {
  std::normal_distribution<double> normal(0.0, 30.0);
  std::size_t const rows = 7;
  std::vector<double> q(cols);
  std::vector<T> X(rows * cols);
  for (double& value : q) value = normal(random);
  for (T& value : X) value = static_cast<T>(std::abs(normal(random)));
  std::vector<T const*> row(rows);
  for (std::size_t i = 0; i < rows; ++i) row[i] = X.data() + i * cols;
  for (std::size_t count = 0; count <= rows; ++count) {
    std::vector<double> key(count);
    kernel(q.data(), row.data(), count, cols, key.data());
    for (std::size_t i = 0; i < count; ++i) CHECK(key[i] == slow_key(q.data(), row[i], cols));
  }
}

void panels_agree(std::mt19937& random, std::size_t cols, PanelDistanceKernel kernel) {
  std::normal_distribution<double> normal(0.0, 30.0);
  std::size_t const count = 5;
  std::vector<double> Q(count * cols), X(kLanes * cols), panel(kLanes * cols);
  for (double& value : Q) value = normal(random);
  for (double& value : X) value = normal(random);
  for (std::size_t r = 0; r < kLanes; ++r)
    for (std::size_t j = 0; j < cols; ++j) panel[j * kLanes + r] = X[r * cols + j];
  std::vector<double const*> queries(count);
  for (std::size_t i = 0; i < count; ++i) queries[i] = Q.data() + i * cols;
  for (std::size_t some = 0; some <= count; ++some) {
    std::vector<double> key(some * kLanes);
    kernel(queries.data(), some, panel.data(), cols, key.data());
    for (std::size_t i = 0; i < some; ++i)
      for (std::size_t r = 0; r < kLanes; ++r)
        CHECK(key[i * kLanes + r] == slow_key(queries[i], X.data() + r * cols, cols));
  }
}

void all_types(std::mt19937& random, DistanceKernels const& kernels) {
  for (std::size_t cols : {1u, 2u, 7u, 8u, 9u, 15u, 16u, 17u, 100u, 129u}) {
    levels_agree<float>(random, cols, kernels.of_float);
    levels_agree<double>(random, cols, kernels.of_double);
    levels_agree<std::uint8_t>(random, cols, kernels.of_uint8);
    levels_agree<std::int8_t>(random, cols, kernels.of_int8);
    panels_agree(random, cols, kernels.of_panel);
  }
}

void error_of_a_key_is_bounded(std::mt19937& random) {
  std::normal_distribution<double> normal;
  for (std::size_t cols : {1u, 10u, 1000u}) {
    std::vector<double> q(cols), x(cols);
    for (std::size_t j = 0; j < cols; ++j) q[j] = normal(random), x[j] = normal(random) * 1e-3;
    long double exact = 0.0L;
    for (std::size_t j = 0; j < cols; ++j) {
      long double const gap = static_cast<long double>(q[j]) - static_cast<long double>(x[j]);
      exact += gap * gap;
    }
    double const key = slow_key(q.data(), x.data(), cols);
    KeyError const error = key_error(cols);
    CHECK(std::abs(static_cast<long double>(key) - exact) <=
          exact * error.relative + error.absolute);
    CHECK(static_cast<long double>(largest_distance(key, error)) >= std::sqrt(exact));
  }
}

void largest_key_is_the_last_within() {
  double const infinity = std::numeric_limits<double>::infinity();
  for (double unit : {1.0, 0x1p-900, 0x1p900})
    for (double radius : {0.0, 1e-200, 0.1, 1.0, 3.0, 1e100}) {
      double const key = largest_key(radius, unit);
      CHECK(std::sqrt(key) * unit <= radius);
      CHECK(std::sqrt(std::nextafter(key, infinity)) * unit > radius || key == infinity);
    }
  CHECK(largest_key(infinity, 1.0) == infinity);
}

}  // namespace

int main() {
  std::mt19937 random(2);
  for (auto const* kernels : LOOKALIKE_AVAILABLE(distance_kernels)) all_types(random, *kernels);
  error_of_a_key_is_bounded(random);
  largest_key_is_the_last_within();
  return 0;
}
