#include "layout/repulsion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr double kStep = 0.5;             // between nodes, where the kernel is 1 wide
constexpr std::size_t kLeastNodes = 64;   // of a side
constexpr std::size_t kMostNodes = 1024;  // beyond which nodes lie farther apart
constexpr std::size_t kFewPoints = 2000;  // that repel each other directly
constexpr std::size_t kTaskRows = 64;     // of them in a task
constexpr std::size_t kMargin = 3;        // nodes around the points, for interpolation
constexpr std::size_t kSlices = 8;        // of the points at most, whatever the threads
constexpr std::size_t kSliceRows = 4096;  // of a slice at least

// Shares of the nodes at -1, 0, 1 and 2 in a point at t: cubic B-splines.
void spline_shares(double t, double (&share)[4]) {
  double const s = 1.0 - t;
  share[0] = s * s * s / 6.0;
  share[1] = (4.0 - 3.0 * t * t * (1.0 + s)) / 6.0;
  share[2] = (4.0 - 3.0 * s * s * (1.0 + t)) / 6.0;
  share[3] = t * t * t / 6.0;
}

// What B-splines at the nodes make of a wave of `turns` a node.
double spline_response(double turns) {
  return (4.0 + 2.0 * std::cos(2.0 * std::numbers::pi * turns)) / 6.0;
}

struct Extent {
  double least[2], most[2];
};

Extent extent_of(View<double const> points) {
  Extent all{{points[0][0], points[0][1]}, {points[0][0], points[0][1]}};
  for (std::size_t i = 0; i < points.rows; ++i)
    for (std::size_t axis = 0; axis < 2; ++axis) {
      all.least[axis] = std::min(all.least[axis], points[i][axis]);
      all.most[axis] = std::max(all.most[axis], points[i][axis]);
    }
  return all;
}

double squared(double x) { return x * x; }

}  // namespace

RepulsionGrid::Cell RepulsionGrid::cell(double x, double y) const {
  double const inner = static_cast<double>(nodes_ - 3);
  double const u = std::clamp((x - left_) / step_, 1.0, inner);
  double const v = std::clamp((y - top_) / step_, 1.0, inner);
  double const column = std::floor(u), row = std::floor(v);
  Cell found{
      (static_cast<std::size_t>(row) - 1) * nodes_ + static_cast<std::size_t>(column) - 1, {}, {}};
  spline_shares(u - column, found.across);
  spline_shares(v - row, found.down);
  return found;
}

void RepulsionGrid::place(View<double const> points) {
  Extent const all = extent_of(points);
  double const span = std::max({all.most[0] - all.least[0], all.most[1] - all.least[1], 1e-12});
  double step = kStep;
  while (span / step < static_cast<double>(kLeastNodes) / 2.0) step /= 2.0;
  while (span / step > static_cast<double>(kMostNodes - 2 * kMargin)) step *= 2.0;
  auto const wanted = static_cast<std::size_t>(std::ceil(span / step)) + 2 * kMargin;
  std::size_t const needed = fft_size(2 * std::max(wanted, kLeastNodes));
  // A grid that was large enough and is not much larger stays, and with it its kernel transforms.
  bool const stays = plan_ && step == prepared_step_ && plan_->size() >= needed &&
                     plan_->size() <= needed + needed / 4;
  std::size_t size = stays ? plan_->size() : fft_size(needed + needed / 16);
  while (size % 2 != 0) size = fft_size(size + 1);
  step_ = step;
  nodes_ = size / 2;
  double const room = static_cast<double>(nodes_ - 1) * step;
  left_ = (all.least[0] + all.most[0] - room) / 2.0;
  top_ = (all.least[1] + all.most[1] - room) / 2.0;
}

void RepulsionGrid::prepare(std::size_t threads) {
  std::size_t const size = 2 * nodes_;
  if (plan_ && plan_->size() == size && prepared_step_ == step_) return;
  if (!plan_ || plan_->size() != size) plan_ = std::make_unique<FftPlan>(size);
  charge_.resize(nodes_, nodes_);
  half_.resize(nodes_, size);
  full_.resize(size, size);
  force_.resize(nodes_, nodes_);
  ComplexGrid kernel, across;
  kernel.resize(size, size);
  across.resize(size, size);
  for (ComplexGrid* const transform : {&force_kernel_, &weight_kernel_}) {
    bool const of_force = transform == &force_kernel_;
    transform->resize(size, size);
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t col = 0; col < size; ++col) {
        auto const offset = [&](std::size_t at) {
          return at == nodes_ ? 0.0  // of no two nodes
                              : step_ * (static_cast<double>(at) -
                                         (at > nodes_ ? static_cast<double>(size) : 0.0));
        };
        double const x = offset(col), y = offset(row);
        double const w = 1.0 / (1.0 + squared(x) + squared(y));
        kernel.real[row * size + col] = of_force ? w * w * x : w;
        kernel.imaginary[row * size + col] = of_force ? w * w * y : 0.0;
      }
    plan_->columns(kernel, across, false, threads);
    plan_->columns(across, *transform, false, threads);
    // Splines smooth the charges and the forces: both are sharpened here.
    std::vector<double> sharper(size);
    for (std::size_t k = 0; k < size; ++k) {
      double const response = spline_response(static_cast<double>(k) / static_cast<double>(size));
      sharper[k] = 1.0 / (response * response);
    }
    for (std::size_t row = 0; row < size; ++row)
      for (std::size_t col = 0; col < size; ++col) {
        transform->real[row * size + col] *= sharper[row] * sharper[col];
        transform->imaginary[row * size + col] *= sharper[row] * sharper[col];
      }
  }
  prepared_step_ = step_;
}

void RepulsionGrid::deposit(View<double const> points, std::size_t threads) {
  std::size_t const n = points.rows, area = nodes_ * nodes_;
  std::size_t const slices = std::clamp(n / kSliceRows, std::size_t{1}, kSlices);
  slices_.resize(slices * area);
  parallel_for(slices, threads, [&](std::size_t slice, std::size_t) {
    double* const here = slices_.data() + slice * area;
    std::fill_n(here, area, 0.0);
    for (std::size_t i = n * slice / slices; i < n * (slice + 1) / slices; ++i) {
      Cell const at = cell(points[i][0], points[i][1]);
      for (std::size_t r = 0; r < 4; ++r)
        for (std::size_t c = 0; c < 4; ++c)
          here[at.node + r * nodes_ + c] += at.down[r] * at.across[c];
    }
  });
  std::fill(charge_.imaginary.begin(), charge_.imaginary.end(), 0.0);
  std::copy_n(slices_.data(), area, charge_.real.data());
  for (std::size_t slice = 1; slice < slices; ++slice)
    for (std::size_t at = 0; at < area; ++at) charge_.real[at] += slices_[slice * area + at];
}

void RepulsionGrid::spread(View<double const> points, std::size_t threads) {
  across_.clear();
  down_.clear();
  if (points.rows <= kFewPoints) return keep(points, threads);
  place(points);
  prepare(threads);
  deposit(points, threads);
  std::size_t const size = plan_->size();
  plan_->columns(charge_, half_, false, threads);
  plan_->columns(half_, full_, false, threads);
  double const area = static_cast<double>(size) * static_cast<double>(size);
  std::vector<double> weight(size);  // of each row of frequencies
  parallel_for(size, threads, [&](std::size_t row, std::size_t) {
    double sum = 0.0;
    for (std::size_t at = row * size; at < (row + 1) * size; ++at) {
      double const re = full_.real[at], im = full_.imaginary[at];
      sum += weight_kernel_.real[at] * (re * re + im * im);
      double const k_re = force_kernel_.real[at], k_im = force_kernel_.imaginary[at];
      full_.real[at] = (re * k_re - im * k_im) / area;
      full_.imaginary[at] = (re * k_im + im * k_re) / area;
    }
    weight[row] = sum;
  });
  double total = 0.0;
  for (double const part : weight) total += part;
  pair_weight_ = total / area - static_cast<double>(points.rows);
  half_.resize(size, nodes_);
  plan_->columns(full_, half_, true, threads);
  plan_->columns(half_, force_, true, threads);
  half_.resize(nodes_, size);
}

void RepulsionGrid::keep(View<double const> points, std::size_t threads) {
  std::size_t const n = points.rows;
  for (std::size_t i = 0; i < n; ++i) {
    across_.push_back(points[i][0]);
    down_.push_back(points[i][1]);
  }
  fields_.resize(n);
  parallel_blocks(n, kTaskRows, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) fields_[i] = at(across_[i], down_[i]);
  });
  pair_weight_ = -static_cast<double>(n);
  for (Field const& field : fields_) pair_weight_ += field.weight;
}

void RepulsionGrid::weigh(std::size_t threads) {
  if (!across_.empty()) return;
  std::size_t const size = plan_->size();
  double const area = static_cast<double>(size) * static_cast<double>(size);
  plan_->columns(charge_, half_, false, threads);
  plan_->columns(half_, full_, false, threads);
  for (std::size_t at = 0; at < size * size; ++at) {
    full_.real[at] *= weight_kernel_.real[at] / area;
    full_.imaginary[at] *= weight_kernel_.real[at] / area;
  }
  half_.resize(size, nodes_);
  potential_.resize(nodes_, nodes_);
  plan_->columns(full_, half_, true, threads);
  plan_->columns(half_, potential_, true, threads);
  half_.resize(nodes_, size);
}

RepulsionGrid::Field RepulsionGrid::at(double x, double y) const {
  if (!across_.empty()) {
    double field[3];
    LOOKALIKE_CHOOSE(repulsion_kernels)
        .push(across_.data(), down_.data(), across_.size(), x, y, field);
    return {field[0], field[1], field[2]};
  }
  Cell const here = cell(x, y);
  bool const weighs = !potential_.real.empty();
  Field found{};
  for (std::size_t r = 0; r < 4; ++r)
    for (std::size_t c = 0; c < 4; ++c) {
      std::size_t const node = here.node + r * nodes_ + c;
      double const share = here.down[r] * here.across[c];
      found.x += share * force_.real[node];
      found.y += share * force_.imaginary[node];
      if (weighs) found.weight += share * potential_.real[node];
    }
  return found;
}

}  // namespace lookalike
