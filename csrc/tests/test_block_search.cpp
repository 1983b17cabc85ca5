// Bounds of distances from codes hold for every row, and no neighbor is ever ruled out.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "build_codes.hpp"
#include "check.hpp"
#include "core/checksum.hpp"
#include "exact/block_search.hpp"

using namespace lookalike;

namespace {

constexpr std::size_t kRows = 500, kCols = 140, kQueries = 9, kWanted = 5;

struct Packed {
  std::vector<float> wide_margin;
  std::vector<std::uint8_t> share, more;
  std::vector<std::uint32_t> poor;
  PackedCodes codes;

  explicit Packed(Built const& built) {
    std::size_t const rows = built.row.size(), width = built.embedding.wide_width();
    std::size_t const extra = width > 0 ? width - kBlock + 1 : 0;
    for (auto i = static_cast<std::size_t>(built.group_first[1]); i < rows; ++i)
      poor.push_back(static_cast<std::uint32_t>(built.row[i]));
    if (extra > 0) wide_margin.assign(panels_of(rows), 0.0f);
    for (std::size_t i = 0; i < rows && extra > 0; ++i) {
      float& largest = wide_margin[i / kPanelRows];
      largest = std::max(largest, built.wide_margin[i]);
      auto const from = built.wide.begin() + static_cast<std::ptrdiff_t>(i * width + kBlock - 1);
      more.insert(more.end(), from, from + static_cast<std::ptrdiff_t>(extra));
    }
    for (std::size_t i = 0; i < rows && extra > 0; ++i) {
      double const part = static_cast<double>(built.wide_margin[i]) /
                          static_cast<double>(wide_margin[i / kPanelRows]);
      share.push_back(std::isfinite(part)
                          ? static_cast<std::uint8_t>(std::max(std::ceil(part * 256) - 1.0, 0.0))
                          : 255);
    }
    codes = {rows, extra, built.code, more, built.margin, wide_margin, share, poor};
  }
};

double distance_of(float const* x, float const* y) {
  double sum = 0.0;
  for (std::size_t j = 0; j < kCols; ++j) {
    double const gap = static_cast<double>(x[j]) - static_cast<double>(y[j]);
    sum += gap * gap;
  }
  return std::sqrt(sum);
}

void bounds_hold(std::vector<float> const& X, std::size_t blocks, std::size_t threads) {
  std::mt19937 random(7);
  View<float const> const rows{X.data(), kRows, kCols, kCols};
  Built const built = build(random, rows, blocks, {0});
  Packed const packed(built);
  std::vector<double> const limit(kQueries, std::numeric_limits<double>::infinity());
  Queries const queries{
      View<float const>{X.data(), kQueries, kCols, kCols}, 1.0, 1.0, {}, {}, threads};
  BlockSearch search(built.embedding, queries, limit, kWanted);
  CHECK(search.scan(packed.codes, 0, {}, kRows).empty());
  std::vector<double> const limits = search.limits();
  CandidatePairs const found = search.take();
  CHECK(search.size() == 0);
  for (std::size_t q = 0; q < kQueries; ++q) {
    std::vector<double> distance(kRows);
    for (std::size_t i = 0; i < kRows; ++i)
      distance[i] = distance_of(X.data() + q * kCols, X.data() + i * kCols);
    std::vector<double> sorted = distance;
    std::ranges::sort(sorted);
    CHECK(std::sqrt(limits[q]) >= sorted[kWanted - 1]);
    std::size_t near = 0;
    for (std::size_t i = 0; i < found.row.size(); ++i) {
      if (found.query[i] != static_cast<std::int64_t>(q)) continue;
      double const own = distance[static_cast<std::size_t>(found.row[i])];
      CHECK(found.low[i] <= own * (1.0 + 1e-12));
      near += own <= sorted[kWanted - 1];
    }
    CHECK(near >= kWanted);
  }
  // A query with more candidates than may be kept is named, and keeps none.
  BlockSearch crowded(built.embedding, queries, limit, 0);
  CHECK(crowded.scan(packed.codes, 0, {}, 3).size() == kQueries);
  CHECK(crowded.size() == 0);
}

void a_changed_byte_changes_the_checksum() {
  std::vector<std::uint8_t> bytes(203, 7);
  std::uint64_t const before = checksum(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 16;
    CHECK(checksum(bytes) != before);
    bytes[i] ^= 16;
  }
  bytes.push_back(0);
  CHECK(checksum(bytes) != before);
}

}  // namespace

int main() {
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  std::vector<float> X(kRows * kCols);
  for (float& value : X) value = normal(random);
  for (std::size_t j = 0; j < kCols; ++j) X[77 * kCols + j] *= 1e4f;  // clipped
  for (std::size_t j = 0; j < kCols; ++j) X[78 * kCols + j] = 1e20f;  // beyond all codes
  for (std::size_t j = 0; j < kCols; ++j) X[3 * kCols + j] = X[4 * kCols + j];
  for (std::size_t blocks : {0u, 1u, 2u})
    for (std::size_t threads : {1u, 3u}) bounds_hold(X, blocks, threads);
  a_changed_byte_changes_the_checksum();
}
