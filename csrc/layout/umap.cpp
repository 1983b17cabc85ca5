#include "layout/umap.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"

namespace lookalike {
namespace {

constexpr double kLongestStep = 4.0;    // along an axis, before the learning rate
constexpr double kNear = 1e-3;          // added to squared distances of points that repel
constexpr std::size_t kBlocks = 16;     // of rows that move together
constexpr std::size_t kBlockRows = 64;  // of a block at least
constexpr std::size_t kTaskRows = 64;

// A row drawn by a number that differs from draw to draw.
std::size_t drawn_row(std::uint64_t number, std::size_t rows) {
  return below(splitmix(number), rows);
}

double clipped(double x) { return std::clamp(x, -kLongestStep, kLongestStep); }

struct Step {
  double x, y;
};

struct Mover {
  UmapOptions const& options;
  double rate;
  double at[2];

  // Moves toward a point and returns by how much: the other end of the edge moves back as far.
  Step attract(std::span<double const> to) {
    double const dx = at[0] - to[0], dy = at[1] - to[1], squared = dx * dx + dy * dy;
    if (!(squared > 0.0)) return {0.0, 0.0};
    double const power = options.a * std::pow(squared, options.b);
    double const pull = -2.0 * options.b * power / (squared * (1.0 + power));
    Step const step{rate * clipped(pull * dx), rate * clipped(pull * dy)};
    at[0] += step.x;
    at[1] += step.y;
    return step;
  }

  void repel(std::span<double const> from) {
    double const dx = at[0] - from[0], dy = at[1] - from[1], squared = dx * dx + dy * dy;
    if (!(squared > 0.0)) return;
    double const power = options.a * std::pow(squared, options.b);
    double const push = 2.0 * options.b / ((kNear + squared) * (1.0 + power));
    at[0] += rate * clipped(push * dx);
    at[1] += rate * clipped(push * dy);
  }
};

// Whether an edge of this weight is drawn in an epoch: evenly, `weight` of all epochs.
bool is_due(double weight, std::size_t epoch) {
  auto const now = static_cast<double>(epoch);
  return std::floor((now + 1.0) * weight) > std::floor(now * weight);
}

// The rows of each block, in an order drawn by the seed.
std::vector<std::uint32_t> shuffled_rows(std::size_t n, std::uint64_t seed) {
  std::vector<std::uint32_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = n; i > 1; --i)
    std::swap(rows[i - 1], rows[drawn_row(splitmix(seed) + i, i)]);
  return rows;
}

}  // namespace

void umap_epoch(WeightedGraph const& graph, UmapOptions const& options, std::size_t epoch,
                double learning_rate, View<double> position, std::size_t threads) {
  std::size_t const n = position.rows;
  require_graph(graph, n);
  require(position.cols == 2, "a position has two coordinates");
  std::size_t const blocks = std::clamp(n / kBlockRows, std::size_t{1}, kBlocks);
  auto const order = shuffled_rows(n, options.seed + epoch);
  std::vector<double> moved(2 * n);
  auto const pulled = std::make_unique_for_overwrite<Step[]>(graph.row.size());  // by edge
  auto move_row = [&](std::size_t i) {
    Mover mover{options, learning_rate, {position[i][0], position[i][1]}};
    std::uint64_t draw = splitmix(splitmix(options.seed + epoch) ^ i) << 16;
    for (auto e = static_cast<std::size_t>(graph.start[i]);
         e < static_cast<std::size_t>(graph.start[i + 1]); ++e) {
      if (!is_due(graph.weight[e], epoch)) continue;
      pulled[e] = mover.attract(position[static_cast<std::size_t>(graph.row[e])]);
      for (std::size_t s = 0; s < options.negative_samples; ++s) {
        std::size_t const far = drawn_row(++draw, n);
        if (far != i) mover.repel(position[far]);
      }
    }
    moved[2 * i] = mover.at[0];
    moved[2 * i + 1] = mover.at[1];
  };
  for (std::size_t block = 0; block < blocks; ++block) {
    std::size_t const first = n * block / blocks, end = n * (block + 1) / blocks;
    auto const move_rows = [&](std::size_t from, std::size_t to, std::size_t) {
      for (std::size_t at = from; at < to; ++at) move_row(order[first + at]);
    };
    parallel_blocks(end - first, kTaskRows, threads, move_rows);
    for (std::size_t at = first; at < end; ++at)
      std::copy_n(moved.data() + 2 * order[at], 2, position[order[at]].data());
    for (std::size_t at = first; at < end; ++at) {
      std::size_t const i = order[at];
      for (auto e = static_cast<std::size_t>(graph.start[i]);
           e < static_cast<std::size_t>(graph.start[i + 1]); ++e) {
        if (!is_due(graph.weight[e], epoch)) continue;
        auto const other = position[static_cast<std::size_t>(graph.row[e])];
        other[0] -= pulled[e].x;
        other[1] -= pulled[e].y;
      }
    }
  }
}

void umap_place(View<double const> points, View<std::int64_t const> row, View<double const> weight,
                UmapOptions const& options, std::size_t epochs, View<double> placed,
                std::size_t threads) {
  require_map(points, row, weight, placed);
  parallel_blocks(
      placed.rows, kTaskRows, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
          Mover mover{options, 1.0, {placed[i][0], placed[i][1]}};
          std::uint64_t draw = splitmix(options.seed)
                               << 16;  // the same for all: no row sees another
          for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
            mover.rate = 0.25 * (1.0 - static_cast<double>(epoch) / static_cast<double>(epochs));
            for (std::size_t j = 0; j < row.cols; ++j) {
              if (!is_due(weight[i][j], epoch)) continue;
              mover.attract(points[static_cast<std::size_t>(row[i][j])]);
              for (std::size_t s = 0; s < options.negative_samples; ++s)
                mover.repel(points[drawn_row(++draw, points.rows)]);
            }
          }
          std::copy_n(mover.at, 2, placed[i].data());
        }
      });
}

}  // namespace lookalike
