#include "layout/tsne.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kBlockRows = 512;
constexpr double kLeastGain = 0.01;
constexpr double kLongestStep = 5.0;

// Moves one point against its gradient.
void descend(DescentOptions const& options, double const* gradient, std::span<double> position,
             std::span<double> velocity, std::span<double> gain) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    bool const turned = (gradient[axis] > 0.0) == (velocity[axis] > 0.0);
    gain[axis] = turned ? std::max(gain[axis] * 0.8, kLeastGain) : gain[axis] + 0.2;
    velocity[axis] =
        options.momentum * velocity[axis] - options.learning_rate * gain[axis] * gradient[axis];
  }
  double const length = std::sqrt(velocity[0] * velocity[0] + velocity[1] * velocity[1]);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    if (length > kLongestStep) velocity[axis] *= kLongestStep / length;
    position[axis] += velocity[axis];
  }
}

void center(View<double> position, std::vector<double> const& sums) {
  for (std::size_t axis = 0; axis < 2; ++axis) {
    double total = 0.0;
    for (std::size_t block = axis; block < sums.size(); block += 2) total += sums[block];
    double const mean = total / static_cast<double>(position.rows);
    for (std::size_t i = 0; i < position.rows; ++i) position[i][axis] -= mean;
  }
}

}  // namespace

void require_graph(WeightedGraph const& graph, std::size_t rows) {
  require(graph.start.size() == rows + 1 && graph.weight.size() == graph.row.size(),
          "the edges do not fit the rows");
  require_starts(graph.start, graph.row.size(), "the edges of the rows do not follow each other");
  require_places(graph.row, rows, "an edge leads to a row that there is not");
}

void require_map(View<double const> points, View<std::int64_t const> row, View<double const> weight,
                 View<double> placed) {
  require(points.rows > 0 && points.cols == 2 && has_shape(placed, row.rows, 2) &&
              has_shape(weight, row.rows, row.cols),
          "the neighbors do not fit the map");
  require_places(row, points.rows, "a neighbor is not a point of the map");
}

double tsne_steps(WeightedGraph const& graph, DescentOptions const& options, RepulsionGrid& grid,
                  DescentState state, std::size_t threads) {
  AttractionKernels const& kernels = LOOKALIKE_CHOOSE(attraction_kernels);
  std::size_t const n = state.position.rows, blocks = (n + kBlockRows - 1) / kBlockRows;
  require_graph(graph, n);
  for (View<double> const& part : {state.position, state.velocity, state.gain})
    require(has_shape(part, n, 2), "a point has two coordinates, velocities and gains");
  std::vector<double> gradient(2 * n), sums(2 * blocks);
  std::vector<float> places(2 * n);
  View<double const> const points{state.position.data, n, 2, state.position.stride};
  for (std::size_t step = 0; step < options.steps; ++step) {
    grid.spread(points, threads);
    double const norm = std::max(grid.pair_weight(), 1e-300);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t axis = 0; axis < 2; ++axis)
        places[2 * i + axis] = static_cast<float>(points[i][axis]);
    parallel_for(blocks, threads, [&](std::size_t block, std::size_t) {
      for (std::size_t i = block * kBlockRows; i < std::min(n, (block + 1) * kBlockRows); ++i) {
        auto const first = static_cast<std::size_t>(graph.start[i]);
        double force[2];
        kernels.pull(places.data(), graph.row.data() + first, graph.weight.data() + first,
                     static_cast<std::size_t>(graph.start[i + 1]) - first, places.data() + 2 * i,
                     force);
        auto const field = grid.of(i, points[i][0], points[i][1]);
        gradient[2 * i] = options.exaggeration * force[0] - field.x / norm;
        gradient[2 * i + 1] = options.exaggeration * force[1] - field.y / norm;
      }
    });
    parallel_for(blocks, threads, [&](std::size_t block, std::size_t) {
      sums[2 * block] = sums[2 * block + 1] = 0.0;
      for (std::size_t i = block * kBlockRows; i < std::min(n, (block + 1) * kBlockRows); ++i) {
        descend(options, gradient.data() + 2 * i, state.position[i], state.velocity[i],
                state.gain[i]);
        for (std::size_t axis = 0; axis < 2; ++axis)
          sums[2 * block + axis] += state.position[i][axis];
      }
    });
    center(state.position, sums);
  }
  return grid.pair_weight();
}

void tsne_place(View<double const> points, View<std::int64_t const> row, View<double const> weight,
                std::size_t steps, View<double> placed, std::size_t threads) {
  require_map(points, row, weight, placed);
  RepulsionGrid grid;
  grid.spread(points, threads);
  grid.weigh(threads);
  constexpr std::size_t kTaskRows = 64;
  parallel_blocks(placed.rows, kTaskRows, threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t i = begin; i < end; ++i) {
                      auto const at = placed[i];
                      for (std::size_t step = 0; step < steps; ++step) {
                        // The divergence is bounded from above by squares of the distances to the
                        // neighbors, whose least place is the next one: no step size is needed.
                        auto const field = grid.at(at[0], at[1]);
                        double sum = 0.0, x = 0.0, y = 0.0;
                        for (std::size_t j = 0; j < row.cols; ++j) {
                          auto const near = points[static_cast<std::size_t>(row[i][j])];
                          double const dx = at[0] - near[0], dy = at[1] - near[1];
                          double const share = weight[i][j] / (1.0 + (dx * dx + dy * dy));
                          sum += share;
                          x += share * near[0];
                          y += share * near[1];
                        }
                        if (!(sum > 0.0)) break;
                        double const norm = std::max(field.weight, 1.0) * sum;
                        at[0] = x / sum + field.x / norm;
                        at[1] = y / sum + field.y / norm;
                      }
                    }
                  });
}

}  // namespace lookalike
