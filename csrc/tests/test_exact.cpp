// The filtered search equals the plain one in every bit, and margins hold what they promise.
#include <atomic>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"
#include "distance/distance.hpp"
#include "exact/exact.hpp"

using namespace lookalike;

namespace {

struct Built {
  Embedding embedding;
  std::vector<double> mean;
  std::vector<float> directions;
  std::vector<std::uint8_t> code, wide, group_code;
  std::vector<std::int32_t> start, wide_norm, group_start;
  std::vector<float> margin, wide_margin;
  std::vector<std::int64_t> row, group_first;

  Filter filter() const {
    return {embedding,
            {code, start, margin, wide, wide_norm, wide_margin, row, group_code, group_start,
             group_first}};
  }
};

// Orthonormal directions by Gram-Schmidt; block 0 has 63 of them.
std::vector<float> directions_of(std::mt19937& random, std::size_t blocks, std::size_t cols) {
  std::normal_distribution<double> normal;
  std::vector<std::vector<double>> axes;
  for (std::size_t i = 0; i + 1 < blocks * kBlock; ++i) {
    std::vector<double> axis(cols);
    for (double& value : axis) value = normal(random);
    for (int twice = 0; twice < 2; ++twice)
      for (auto const& other : axes) {
        double dot = 0.0;
        for (std::size_t j = 0; j < cols; ++j) dot += axis[j] * other[j];
        for (std::size_t j = 0; j < cols; ++j) axis[j] -= dot * other[j];
      }
    double norm = 0.0;
    for (double value : axis) norm += value * value;
    for (double& value : axis) value /= std::sqrt(norm);
    axes.push_back(axis);
  }
  std::vector<float> directions(blocks * cols * kBlock, 0.0f);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::size_t const slot = i < kBlock - 1 ? i : i + 1;
    for (std::size_t j = 0; j < cols; ++j)
      directions[(slot / kBlock * cols + j) * kBlock + slot % kBlock] =
          static_cast<float>(axes[i][j]);
  }
  return directions;
}

Built build(std::mt19937& random, View<float const> X, std::size_t blocks) {
  Built built;
  built.mean.assign(X.cols, 0.25);
  built.directions = directions_of(random, blocks, X.cols);
  Embedding& map = built.embedding;
  map.mean = built.mean;
  map.directions = built.directions;
  map.blocks = blocks;
  map.defect = blocks > 0 ? 1e-4 : 0.0;
  map.step = 0.04;
  map.ratio = blocks > 1 ? 2 : 1;
  std::size_t const panels = panels_of(X.rows), groups = 5;
  built.code.resize(panels * kPanelRows * map.first_width());
  built.start.resize(panels * kPanelRows);
  built.margin.resize(panels);
  built.wide.resize(X.rows * map.wide_width());
  built.wide_norm.resize(map.wide_width() > 0 ? X.rows : 0);
  built.wide_margin.resize(built.wide_norm.size());
  built.row.resize(X.rows);
  built.group_code.resize(kPanelRows * map.first_width());
  built.group_start.resize(kPanelRows);
  built.group_first.resize(groups + 1);
  std::vector<std::int64_t> const centers = {3, 50, 100, 150, 200};
  build_codes(
      X, map, centers, 2,
      {built.code, built.start, built.margin, built.wide, built.wide_norm, built.wide_margin,
       built.row, built.group_code, built.group_start, built.group_first});
  return built;
}

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
      std::thread other([&] { search_equals_the_plain_one(X, built, 13); });
      search_equals_the_plain_one(X, built, 13);
      other.join();
    }
  return 0;
}
