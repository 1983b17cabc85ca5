// Nearest centers against a scan of all distances, and sums that do not feel the order of rows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "check.hpp"
#include "distance/distance.hpp"
#include "exact/embed.hpp"
#include "kmeans/assign.hpp"
#include "kmeans/exact_sums.hpp"

using namespace lookalike;

namespace {

double noise(std::size_t i) {
  return std::sin(static_cast<double>(i) * 12.9898) * 43758.5453 -
         std::floor(std::sin(static_cast<double>(i) * 12.9898) * 43758.5453) - 0.5;
}

template <class T>
struct Table {
  Table(std::size_t n, std::size_t d, double offset) : rows(n), cols(d), value(n * d) {
    for (std::size_t i = 0; i < value.size(); ++i)
      value[i] = static_cast<T>(offset + 100.0 * noise(i));
    for (std::size_t j = 0; j < d && n > 9; ++j) value[9 * d + j] = value[j];  // a row twice
    if (n > 20) value[20 * d] = static_cast<T>(value[20 * d] * T{64});         // an outlier
  }
  View<T const> view() const { return {value.data(), rows, cols, cols}; }
  std::vector<double> some(std::size_t count) const {
    std::vector<double> out(count * cols);
    for (std::size_t c = 0; c < count; ++c)
      for (std::size_t j = 0; j < cols; ++j)
        out[c * cols + j] = static_cast<double>(value[c * 3 % rows * cols + j]);
    return out;
  }

  std::size_t rows, cols;
  std::vector<T> value;
};

template <class T>
std::vector<std::int32_t> scanned(Table<T> const& table, View<double const> centers) {
  std::vector<std::int32_t> nearest(table.rows);
  std::vector<double const*> center(centers.rows);
  for (std::size_t c = 0; c < centers.rows; ++c) center[c] = centers[c].data();
  std::vector<double> key(centers.rows), row(table.cols);
  for (std::size_t i = 0; i < table.rows; ++i) {
    AnyRows(table.view()).load(i, 1, 1.0, row.data());
    distance_kernel<double>()(row.data(), center.data(), centers.rows, table.cols, key.data());
    nearest[i] = static_cast<std::int32_t>(std::min_element(key.begin(), key.end()) - key.begin());
  }
  return nearest;
}

// The first columns as directions: orthonormal to the last bit.
std::vector<float> axes(std::size_t cols, std::size_t used) {
  std::size_t const blocks = (used + kBlock - 1) / kBlock;
  std::vector<float> directions(blocks * cols * kBlock, 0.0f);
  for (std::size_t k = 0; k < used; ++k)
    directions[k / kBlock * cols * kBlock + k * kBlock + k % kBlock] = 1.0f;
  return directions;
}

template <class T>
void labels_equal_the_scan(std::size_t n, std::size_t d, std::size_t k, double offset) {
  Table<T> const table(n, d, offset);
  std::vector<double> const values = table.some(k);
  View<double const> const centers{values.data(), k, d, d};
  auto const expected = scanned(table, centers);
  std::vector<double> const middle(d, offset);
  for (int kind = 0; kind < 4; ++kind) {
    Assigner assigner(AnyRows(table.view()), kind == 3 ? 0.0 : 0x1p-6, 2);
    std::vector<float> const directions = axes(d, std::min<std::size_t>(d, 70));
    if (kind == 1) assigner.code({middle, 0x1p-6, {}, 0, 0.0});
    if (kind == 2) assigner.code({middle, 0x1p-6, directions, std::min<std::size_t>(d, 70), 0.0});
    std::vector<std::int32_t> label(n, -1);
    std::vector<Reassignment> moves;
    assigner.assign(centers, label, moves);
    CHECK(label == expected);
    CHECK(moves.size() == n);
    moves.clear();
    assigner.assign(centers, label, moves);
    CHECK(moves.empty());
  }
}

void sums_do_not_feel_the_order() {
  std::size_t const n = 700, d = 5, k = 3, width = d + kExtraSums;
  Table<double> const table(n, d, 1e6);
  std::vector<double> shift(d, 1e6), coarse(width, 0x1.8p52 * 0x1p-20),
      fine(width, 0x1.8p52 * 0x1p-62);
  coarse.back() = 0x1.8p52 * 0x1p6;  // squares of the outlier
  fine.back() = 0x1.8p52 * 0x1p-36;
  std::vector<Reassignment> moves(n);
  for (std::size_t i = 0; i < n; ++i)
    moves[i] = {static_cast<std::int64_t>(i), -1, static_cast<std::int32_t>(i % k)};
  auto const sum = [&](std::span<Reassignment const> some, std::size_t threads,
                       std::vector<double> high, std::vector<double> low) {
    move_rows(AnyRows(table.view()), {}, {shift, coarse, fine}, some, threads,
              {high.data(), k, width, width}, {low.data(), k, width, width});
    high.insert(high.end(), low.begin(), low.end());
    return high;
  };
  std::vector<double> const none(k * width, 0.0);
  auto const once = sum(moves, 1, none, none);
  std::reverse(moves.begin(), moves.end());
  CHECK(sum(moves, 4, none, none) == once);
  for (Reassignment& move : moves) move = {move.row, move.to, (move.to + 1) % static_cast<int>(k)};
  std::vector<double> const high(once.begin(), once.begin() + k * width);
  std::vector<double> const low(once.begin() + k * width, once.end());
  auto const moved = sum(moves, 2, high, low);
  for (std::size_t c = 0; c < k; ++c)  // what was of one center is now of the next, to the bit
    for (std::size_t j = 0; j < width; ++j)
      CHECK(moved[(c + 1) % k * width + j] == once[c * width + j]);
}

}  // namespace

int main() {
  for (std::size_t const d : {1, 2, 7, 33, 150}) {
    labels_equal_the_scan<float>(300, d, 37, 0.0);
    labels_equal_the_scan<double>(130, d, 5, 1e6);
    labels_equal_the_scan<double>(50, d, 1, 0.0);
    labels_equal_the_scan<std::uint8_t>(97, d, 65, 128.0);
  }
  sums_do_not_feel_the_order();
}
