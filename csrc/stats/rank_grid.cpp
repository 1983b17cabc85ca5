#include "stats/rank_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lookalike {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPointsPerCell = 2.0;

std::size_t cells_for(std::size_t points) {
  return std::max<std::size_t>(
      1, static_cast<std::size_t>(std::sqrt(static_cast<double>(points) / kPointsPerCell)));
}

}  // namespace

RankGrid::Axis::Axis(std::span<double const> values, std::size_t cells)
    : value(values.begin(), values.end()),
      sorted(value),
      rank(value.size()),
      cell(value.size()),
      first(cells + 1, kInfinity),
      last(cells + 1, -kInfinity) {
  std::ranges::sort(sorted);
  for (std::size_t i = 0; i < value.size(); ++i) {
    rank[i] = static_cast<std::size_t>(std::ranges::lower_bound(sorted, value[i]) - sorted.begin());
    cell[i] = rank[i] * cells / value.size();
    first[cell[i]] = std::min(first[cell[i]], value[i]);
    last[cell[i] + 1] = std::max(last[cell[i] + 1], value[i]);
  }
  for (std::size_t b = cells; b-- > 0;) first[b] = std::min(first[b], first[b + 1]);
  for (std::size_t b = 0; b < cells; ++b) last[b + 1] = std::max(last[b + 1], last[b]);
}

double RankGrid::Axis::clearance(std::size_t i, std::size_t ring) const {
  std::size_t const cells = first.size() - 1;
  double const below = cell[i] > ring ? value[i] - last[cell[i] - ring] : kInfinity;
  double const above =
      cell[i] + ring + 1 < cells ? first[cell[i] + ring + 1] - value[i] : kInfinity;
  return std::min(below, above);
}

RankGrid::RankGrid(std::span<double const> x, std::span<double const> y)
    : cells_(cells_for(x.size())),
      x_(x, cells_),
      y_(y, cells_),
      start_(cells_ * cells_ + 1, 0),
      member_(x.size()) {
  auto const cell = [&](std::size_t i) { return x_.cell[i] * cells_ + y_.cell[i]; };
  for (std::size_t i = 0; i < x.size(); ++i) ++start_[cell(i) + 1];
  for (std::size_t c = 0; c + 1 < start_.size(); ++c) start_[c + 1] += start_[c];
  std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
  for (std::size_t i = 0; i < x.size(); ++i) member_[next[cell(i)]++] = i;
}

template <class Visit>
void RankGrid::visit_ring(std::size_t i, std::size_t ring, Visit visit) const {
  auto const at = [](std::size_t cell, std::size_t step) { return cell < step ? 0 : cell - step; };
  std::size_t const cx = x_.cell[i], cy = y_.cell[i];
  std::size_t const right = std::min(cx + ring, cells_ - 1), top = std::min(cy + ring, cells_ - 1);
  for (std::size_t a = at(cx, ring); a <= right; ++a) {
    bool const edge = a + ring == cx || a == cx + ring;
    // within the ring only its lower and its upper cell are new
    std::size_t const step = edge || ring == 0 ? 1 : 2 * ring;
    if (!edge && ring > 0 && cy < ring) {
      if (cy + ring <= top) visit(a * cells_ + cy + ring);
      continue;
    }
    for (std::size_t b = at(cy, ring); b <= top; b += step) visit(a * cells_ + b);
  }
}

double RankGrid::kth_distance(std::size_t i, std::span<double> slots) const {
  std::ranges::fill(slots, kInfinity);
  double const x = x_.value[i], y = y_.value[i];
  for (std::size_t ring = 0; ring < cells_; ++ring) {
    visit_ring(i, ring, [&](std::size_t cell) {
      for (std::size_t place = start_[cell]; place < start_[cell + 1]; ++place) {
        std::size_t const j = member_[place];
        double const gap = std::max(std::abs(x_.value[j] - x), std::abs(y_.value[j] - y));
        if (j == i || gap >= slots.back()) continue;
        std::size_t slot = slots.size() - 1;
        for (; slot > 0 && slots[slot - 1] > gap; --slot) slots[slot] = slots[slot - 1];
        slots[slot] = gap;
      }
    });
    if (slots.back() <= std::min(x_.clearance(i, ring), y_.clearance(i, ring))) break;
  }
  return slots.back();
}

}  // namespace lookalike
