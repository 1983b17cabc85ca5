#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numbers>
#include <vector>

#include "check.hpp"
#include "layout/affinities.hpp"
#include "layout/fft.hpp"
#include "layout/repulsion.hpp"
#include "layout/tsne.hpp"
#include "layout/umap.hpp"

using namespace lookalike;

namespace {

// Numbers that look random, from -1 to 1.
std::vector<double> numbers(std::size_t count, std::uint64_t seed = 1) {
  std::vector<double> drawn(count);
  for (double& value : drawn) {
    seed = seed * 6364136223846793005U + 1442695040888963407U;
    value = static_cast<double>(seed >> 11) / 0x1p52 - 1.0;
  }
  return drawn;
}

void transforms_equal_their_sums(std::size_t threads) {
  for (std::size_t const size : {1, 2, 6, 12, 20, 30, 45}) {
    std::size_t const cols = 19, given = (size + 1) / 2;
    ComplexGrid in, out, back;
    in.resize(given, cols);
    in.real = numbers(given * cols);
    in.imaginary = numbers(given * cols, 7);
    out.resize(cols, size);
    FftPlan const plan(size);
    plan.columns(in, out, false, threads);
    for (std::size_t c = 0; c < cols; ++c)
      for (std::size_t k = 0; k < size; ++k) {
        std::complex<double> sum;
        for (std::size_t j = 0; j < given; ++j) {
          double const turn =
              -2.0 * std::numbers::pi * static_cast<double>(j * k) / static_cast<double>(size);
          sum += std::complex(in.real[j * cols + c], in.imaginary[j * cols + c]) *
                 std::polar(1.0, turn);
        }
        CHECK(std::abs(sum - std::complex(out.real[c * size + k], out.imaginary[c * size + k])) <
              1e-12 * static_cast<double>(size));
      }
    ComplexGrid turned;  // the rows of `out` as columns
    turned.resize(size, cols);
    for (std::size_t c = 0; c < cols; ++c)
      for (std::size_t k = 0; k < size; ++k) {
        turned.real[k * cols + c] = out.real[c * size + k];
        turned.imaginary[k * cols + c] = out.imaginary[c * size + k];
      }
    back.resize(cols, given);
    plan.columns(turned, back, true, threads);
    for (std::size_t c = 0; c < cols; ++c)
      for (std::size_t j = 0; j < given; ++j)
        CHECK(std::abs(back.real[c * given + j] / static_cast<double>(size) -
                       in.real[j * cols + c]) < 1e-12);
  }
  CHECK(fft_size(7) == 8 && fft_size(121) == 125 && fft_size(0) == 1);
}

void the_grid_repels_as_all_pairs_do(std::size_t threads) {
  for (double const spread : {0.001, 1.0, 40.0}) {
    std::size_t const n = 2100;  // more than repel each other directly
    std::vector<double> points = numbers(2 * n);
    for (double& value : points) value *= spread;
    View<double const> const all{points.data(), n, 2, 2};
    RepulsionGrid grid;
    grid.spread(all, threads);
    grid.weigh(threads);
    double total = 0.0, largest = 0.0, worst = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double x = 0.0, y = 0.0, weight = 0.0;
      for (std::size_t j = 0; j < n; ++j) {
        double const dx = all[i][0] - all[j][0], dy = all[i][1] - all[j][1];
        double const w = 1.0 / (1.0 + dx * dx + dy * dy);
        x += w * w * dx;
        y += w * w * dy;
        weight += w;
      }
      total += weight - 1.0;
      auto const found = grid.of(i, all[i][0], all[i][1]);
      largest = std::max(largest, std::hypot(x, y));
      worst = std::max(worst, std::hypot(found.x - x, found.y - y));
      CHECK(std::abs(found.weight - weight) < 0.05 * weight);
    }
    CHECK(worst < 0.06 * largest);
    CHECK(std::abs(grid.pair_weight() - total) < 0.005 * total);
  }
}

void affinities_have_the_perplexity(std::size_t threads) {
  std::size_t const rows = 40, k = 30;
  std::vector<double> distance = numbers(rows * k), affinity(rows * k);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < k; ++j) distance[i * k + j] = std::abs(distance[i * k + j]) * 1e200;
    std::sort(distance.begin() + static_cast<std::ptrdiff_t>(i * k),
              distance.begin() + static_cast<std::ptrdiff_t>((i + 1) * k));
  }
  std::fill_n(distance.begin(), k, 3.0);  // a row whose neighbors are all equally far
  View<double const> const in{distance.data(), rows, k, k};
  View<double> const out{affinity.data(), rows, k, k};
  perplexity_affinities(in, 10.0, out, threads);
  for (std::size_t i = 0; i < rows; ++i) {
    double entropy = 0.0, sum = 0.0;
    for (double const p : out[i]) {
      sum += p;
      if (p > 0.0) entropy -= p * std::log(p);
    }
    CHECK(std::abs(sum - 1.0) < 1e-12);
    CHECK(std::abs(std::exp(entropy) - (i == 0 ? 30.0 : 10.0)) < 1e-3);
  }
  fuzzy_affinities(in, out, threads);
  for (std::size_t i = 1; i < rows; ++i) {
    double sum = 0.0;
    for (double const p : out[i]) sum += p;
    CHECK(out[i][0] == 1.0 && std::abs(sum - std::log2(31.0)) < 1e-4);
  }
}

struct Ring {  // every row joined to the next and the one before
  std::vector<std::int64_t> start;
  std::vector<std::int32_t> row;
  std::vector<float> weight;

  explicit Ring(std::size_t n, float each) : start(n + 1), row(2 * n), weight(2 * n, each) {
    for (std::size_t i = 0; i < n; ++i) {
      start[i + 1] = static_cast<std::int64_t>(2 * (i + 1));
      row[2 * i] = static_cast<std::int32_t>((i + 1) % n);
      row[2 * i + 1] = static_cast<std::int32_t>((i + n - 1) % n);
    }
  }
  WeightedGraph graph() const { return {start, row, weight}; }
};

double mean_edge(std::vector<double> const& at) {
  std::size_t const n = at.size() / 2;
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t const j = (i + 1) % n;
    sum += std::hypot(at[2 * i] - at[2 * j], at[2 * i + 1] - at[2 * j + 1]);
  }
  return sum / static_cast<double>(n);
}

double extent(std::vector<double> const& at) {
  auto const [least, most] = std::minmax_element(at.begin(), at.end());
  return *most - *least;
}

std::vector<double> tsne_of_ring(std::size_t n, std::size_t steps, std::size_t threads) {
  Ring const ring(n, 0.5F / static_cast<float>(n));
  std::vector<double> at = numbers(2 * n), velocity(2 * n), gain(2 * n, 1.0);
  auto const view = [&](std::vector<double>& of) { return View<double>{of.data(), n, 2, 2}; };
  RepulsionGrid grid;
  for (double const exaggeration : {12.0, 1.0})
    tsne_steps(ring.graph(), {exaggeration, static_cast<double>(n) / exaggeration, 0.8, steps},
               grid, {view(at), view(velocity), view(gain)}, threads);
  return at;
}

std::vector<double> umap_of_ring(std::size_t n, std::size_t threads) {
  Ring const ring(n, 1.0F);
  std::vector<double> at = numbers(2 * n);
  for (double& value : at) value *= 10.0;
  for (std::size_t epoch = 0; epoch < 60; ++epoch)
    umap_epoch(ring.graph(), {1.577, 0.895, 5, 3}, epoch, 1.0 - static_cast<double>(epoch) / 60.0,
               {at.data(), n, 2, 2}, threads);
  return at;
}

void layouts_shorten_edges_and_do_not_depend_on_threads() {
  auto const tsne = tsne_of_ring(200, 40, 1);
  CHECK(mean_edge(tsne) < 0.2 * extent(tsne));
  CHECK(tsne == tsne_of_ring(200, 40, 4));
  CHECK(tsne_of_ring(2100, 2, 1) == tsne_of_ring(2100, 2, 4));  // by the grid
  auto const umap = umap_of_ring(500, 1);
  CHECK(mean_edge(umap) < 0.2 * extent(umap));
  CHECK(umap == umap_of_ring(500, 4));
}

void new_points_come_to_lie_among_their_neighbors(std::size_t threads) {
  std::vector<double> points = numbers(2 * 60);
  for (std::size_t i = 0; i < 60; ++i) points[i] += i < 30 ? 0.0 : 20.0;
  View<double const> const all{points.data(), 60, 2, 2};
  std::vector<std::int64_t> const row = {0, 1, 2, 57, 58, 59};
  std::vector<double> const weight = {0.5, 0.3, 0.2, 0.5, 0.3, 0.2};
  auto const check_places = [&](auto place) {
    std::vector<double> placed = {all[0][0], all[0][1], all[57][0], all[57][1]};
    place(View<double>{placed.data(), 2, 2, 2});
    for (std::size_t i = 0; i < 2; ++i) {
      auto const near = all[static_cast<std::size_t>(row[3 * i])];
      CHECK(std::hypot(placed[2 * i] - near[0], placed[2 * i + 1] - near[1]) < 6.0);
    }
  };
  View<std::int64_t const> const rows{row.data(), 2, 3, 3};
  View<double const> const weights{weight.data(), 2, 3, 3};
  check_places([&](View<double> at) { tsne_place(all, rows, weights, 50, at, threads); });
  check_places([&](View<double> at) {
    umap_place(all, rows, weights, {1.577, 0.895, 5, 3}, 50, at, threads);
  });
}

}  // namespace

int main() {
  for (std::size_t const threads : {1, 4}) {
    transforms_equal_their_sums(threads);
    the_grid_repels_as_all_pairs_do(threads);
    affinities_have_the_perplexity(threads);
    new_points_come_to_lie_among_their_neighbors(threads);
  }
  layouts_shorten_edges_and_do_not_depend_on_threads();
}
