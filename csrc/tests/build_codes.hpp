// Codes of some rows, with directions drawn at random.
#pragma once
#include <cmath>
#include <random>
#include <vector>

#include "exact/exact.hpp"

namespace lookalike {

struct Built {
  Embedding embedding;
  std::vector<double> mean;
  std::vector<float> directions;
  std::vector<std::uint8_t> code, wide, group_code;
  std::vector<std::int32_t> start, wide_norm, group_start;
  std::vector<float> margin, wide_margin;
  std::vector<std::int64_t> row, group_first;

  Filter filter() const {
    return {.embedding = embedding,
            .codes = {code, start, margin, wide, wide_norm, wide_margin, row, group_code,
                      group_start, group_first}};
  }
};

// Orthonormal directions by Gram-Schmidt; block 0 has 63 of them.
inline std::vector<float> directions_of(std::mt19937& random, std::size_t blocks,
                                        std::size_t cols) {
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

inline Built build(std::mt19937& random, View<float const> X, std::size_t blocks,
                   std::vector<std::int64_t> const& centers = {3, 50, 100, 150, 200}) {
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
  std::size_t const panels = panels_of(X.rows), groups = centers.size();
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
  build_codes(
      X, map, centers, 2,
      {built.code, built.start, built.margin, built.wide, built.wide_norm, built.wide_margin,
       built.row, built.group_code, built.group_start, built.group_first});
  return built;
}

}  // namespace lookalike
