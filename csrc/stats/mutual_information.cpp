#include "stats/mutual_information.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "stats/rank_grid.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kCheckEvery = 1024;
constexpr double kEuler = 0.57721566490153286;

// psi(1), psi(2), … psi(count) behind a first entry that is not used.
std::vector<double> digammas(std::size_t count) {
  std::vector<double> psi(count + 1, -kEuler);
  for (std::size_t n = 1; n < count; ++n) psi[n + 1] = psi[n] + 1.0 / static_cast<double>(n);
  return psi;
}

// How many of the sorted values lie nearer to the one at `place` than `reach`, itself included;
// how many equal it where reach is 0.
std::size_t nearer(std::span<double const> sorted, std::size_t place, double reach) {
  double const here = sorted[place];
  auto const inside = [&](std::size_t at) {
    double const gap = std::abs(sorted[at] - here);
    return gap < reach || gap == 0.0;
  };
  std::size_t low = place, high = place + 1;
  for (std::size_t step = 1;; step *= 2) {  // gallop, then halve: most counts are small
    std::size_t const next = step > low ? 0 : low - step;
    if (next == low || !inside(next)) {
      while (step > 0) {
        if (low >= step && inside(low - step))
          low -= step;
        else
          step /= 2;
      }
      break;
    }
    low = next;
  }
  for (std::size_t step = 1;; step *= 2) {
    std::size_t const next = std::min(sorted.size(), high + step);
    if (next == high || !inside(next - 1)) {
      while (step > 0) {
        if (high + step <= sorted.size() && inside(high + step - 1))
          high += step;
        else
          step /= 2;
      }
      break;
    }
    high = next;
  }
  return high - low;
}

// The distance from sorted[place] to its k-th nearest other value.
double kth_gap(std::span<double const> sorted, std::size_t place, std::size_t k) {
  std::size_t low = place, high = place;
  double gap = 0.0;
  for (std::size_t count = 0; count < k; ++count) {
    double const left =
        low > 0 ? sorted[place] - sorted[low - 1] : std::numeric_limits<double>::infinity();
    double const right = high + 1 < sorted.size() ? sorted[high + 1] - sorted[place]
                                                  : std::numeric_limits<double>::infinity();
    gap = std::min(left, right);
    left <= right ? --low : ++high;
  }
  return gap;
}

// The mean of the terms of all points, and the standard error of it.
void summarize(std::vector<double> const& terms, double constant, std::span<double> out) {
  double const count = static_cast<double>(terms.size());
  double total = 0.0, squares = 0.0;
  for (double const term : terms) total += term;
  double const mean = total / count;
  for (double const term : terms) squares += (term - mean) * (term - mean);
  out[0] = constant + mean;
  out[1] = std::sqrt(squares / (count - 1.0) / count);
}

struct Valued {
  double value;
  std::int64_t code;
};

void with_classes(std::span<double const> column, std::span<std::int64_t const> code,
                  std::size_t classes, std::size_t neighbors, std::vector<double> const& psi,
                  std::span<double> out) {
  std::vector<std::size_t> count(classes, 0);
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column[i] == column[i]) ++count[static_cast<std::size_t>(code[i])];
  std::vector<Valued> points;
  points.reserve(column.size());
  for (std::size_t i = 0; i < column.size(); ++i)
    if (column[i] == column[i] && count[static_cast<std::size_t>(code[i])] > 1)
      points.push_back({column[i], code[i]});
  if (points.size() < 2) return;
  std::ranges::sort(points, {}, &Valued::value);
  std::vector<double> all(points.size());
  std::ranges::transform(points, all.begin(), &Valued::value);
  std::vector<std::vector<double>> own(classes);
  std::vector<std::vector<std::size_t>> place(classes);
  for (std::size_t at = 0; at < points.size(); ++at) {
    auto const c = static_cast<std::size_t>(points[at].code);
    own[c].push_back(points[at].value);
    place[c].push_back(at);
  }
  std::vector<double> terms(points.size());
  for (std::size_t c = 0; c < classes; ++c) {
    std::size_t const k = own[c].empty() ? 0 : std::min(neighbors, own[c].size() - 1);
    for (std::size_t p = 0; p < own[c].size(); ++p) {
      if (p % kCheckEvery == 0) checkpoint();
      double const reach = kth_gap(own[c], p, k);
      terms[place[c][p]] = psi[k] - psi[own[c].size()] - psi[nearer(all, place[c][p], reach)];
    }
  }
  summarize(terms, psi[points.size()], out);
}

void with_numbers(std::span<double const> column, std::span<double const> target,
                  std::size_t neighbors, std::vector<double> const& psi, std::span<double> out) {
  std::vector<double> x, y;
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (column[i] != column[i]) continue;
    x.push_back(column[i]);
    y.push_back(target[i]);
  }
  if (x.size() < 2) return;
  std::size_t const k = std::min(neighbors, x.size() - 1);
  RankGrid const grid(x, y);
  std::vector<double> terms(x.size()), slots(k);
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i % kCheckEvery == 0) checkpoint();
    double const reach = grid.kth_distance(i, slots);
    terms[i] = psi[k] - psi[nearer(grid.sorted_x(), grid.rank_x(i), reach)] -
               psi[nearer(grid.sorted_y(), grid.rank_y(i), reach)];
  }
  summarize(terms, psi[x.size()], out);
}

}  // namespace

void mutual_information_with_classes(View<double const> columns, std::span<std::int64_t const> code,
                                     std::size_t classes, std::size_t neighbors,
                                     std::size_t threads, View<double> out) {
  require(code.size() == columns.cols && has_shape(out, columns.rows, 2),
          "classes and results do not fit the columns");
  require_places(code, classes, "a row is of none of the classes");
  auto const psi = digammas(columns.cols);
  parallel_for(columns.rows, threads, [&](std::size_t j, std::size_t) {
    std::ranges::fill(out[j], 0.0);
    with_classes(columns[j], code, classes, neighbors, psi, out[j]);
  });
}

void mutual_information_with_numbers(View<double const> columns, std::span<double const> target,
                                     std::size_t neighbors, std::size_t threads, View<double> out) {
  require(target.size() == columns.cols && has_shape(out, columns.rows, 2),
          "targets and results do not fit the columns");
  auto const psi = digammas(columns.cols);
  parallel_for(columns.rows, threads, [&](std::size_t j, std::size_t) {
    std::ranges::fill(out[j], 0.0);
    with_numbers(columns[j], target, neighbors, psi, out[j]);
  });
}

}  // namespace lookalike
