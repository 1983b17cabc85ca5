// The filtered search equals the plain one in every bit, and margins hold what they promise.
#include <atomic>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "build_codes.hpp"
#include "check.hpp"
#include "distance/distance.hpp"
#include "exact/exact.hpp"

using namespace lookalike;

namespace {

void search_equals_the_plain_one(View<float const> X, Built const& built, std::size_t queries) {
  Filter const filter = built.filter();
  View<float const> const Q{X.data, queries, X.cols, X.stride};
  std::vector<std::int64_t> exclude(queries);
  for (std::size_t i = 0; i < queries; ++i) exclude[i] = static_cast<std::int64_t>(i);
  for (std::size_t k : {1u, 7u, 300u})
    for (std::size_t threads : {1u, 3u}) {
      std::span<std::int64_t const> const itself(exclude);
      Queries const request{Q, 1.0, 1.0, itself.first(k == 7 ? queries : 0), {}, threads};
      std::vector<double> distance[2];
      std::vector<std::int64_t> row[2];
      for (int plain : {0, 1}) {
        distance[plain].resize(queries * k);
        row[plain].resize(queries * k);
        exact_topk(X, plain ? nullptr : &filter, request, {distance[plain].data(), queries, k, k},
                   {row[plain].data(), queries, k, k});
      }
      CHECK(distance[0] == distance[1]);
      CHECK(row[0] == row[1]);
      std::vector<double> radius(queries);
      for (std::size_t i = 0; i < queries; ++i) radius[i] = distance[0][i * k + i % k];
      Effort effort;
      RadiusNeighbors const ours = exact_radius(X, &filter, request, radius, effort);
      RadiusNeighbors const theirs = exact_radius(X, nullptr, request, radius, effort);
      CHECK(ours.start == theirs.start);
      CHECK(ours.row == theirs.row && ours.key == theirs.key);
    }
}

// step |a - b| <= stretch |x - y| + margin_x + margin_y for every pair.
void margins_hold(View<float const> X, Built const& built) {
  Embedding const& map = built.embedding;
  EmbedScratch scratch;
  std::size_t const rows = kEmbedRows;
  std::vector<double> values(rows * X.cols);
  AnyRows(X).load(0, rows, 1.0, values.data());
  std::vector<std::int8_t> first(rows * map.first_width()), wide(rows * map.wide_width());
  std::vector<Code> first_code(rows), wide_code(rows);
  embed(map, values.data(), rows, scratch, first.data(), first_code.data(), wide.data(),
        wide_code.data());
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < rows; ++j) {
      double true2 = 0.0, first2 = 0.0, wide2 = 0.0;
      for (std::size_t c = 0; c < X.cols; ++c)
        true2 += std::pow(values[i * X.cols + c] - values[j * X.cols + c], 2);
      for (std::size_t c = 0; c < map.first_width(); ++c)
        first2 += std::pow(map.first_step() * (first[i * map.first_width() + c] -
                                               first[j * map.first_width() + c]),
                           2);
      for (std::size_t c = 0; c < map.wide_width(); ++c)
        wide2 += std::pow((c < kBlock ? map.first_step() : map.step) *
                              (wide[i * map.wide_width() + c] - wide[j * map.wide_width() + c]),
                          2);
      double const most = std::sqrt(true2) * map.stretch() * (1.0 + 1e-12);
      CHECK(std::sqrt(first2) <= most + first_code[i].margin + first_code[j].margin);
      CHECK(std::sqrt(wide2) <= most + wide_code[i].margin + wide_code[j].margin);
    }
}

}  // namespace

int main() {
  std::mt19937 random(4);
  std::normal_distribution<float> normal;
  for (std::size_t cols : {5u, 130u})
    for (std::size_t blocks : {0u, 1u, 2u}) {
      if (blocks * kBlock > cols + 1) continue;
      std::size_t const rows = 700;
      std::vector<float> values(rows * cols);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = normal(random) * (i % cols < 4 ? 1.0f : 0.2f);
      for (std::size_t j = 0; j < cols; ++j) values[9 * cols + j] = 1e5f;        // an outlier
      for (std::size_t j = 0; j < cols; ++j) values[10 * cols + j] = 1e30f;      // beyond all codes
      for (std::size_t j = 0; j < cols; ++j) values[11 * cols + j] = values[j];  // a copy
      View<float const> const X{values.data(), rows, cols, cols};
      Built const built = build(random, X, blocks);
      search_equals_the_plain_one(X, built, 40);
      margins_hold(X, built);
      for (std::size_t coded : {320u, 699u})  // the rows after these have no codes
        search_equals_the_plain_one(X, build(random, {X.data, coded, cols, cols}, blocks), 40);
      std::thread other([&] { search_equals_the_plain_one(X, built, 13); });
      search_equals_the_plain_one(X, built, 13);
      other.join();
    }
  return 0;
}
