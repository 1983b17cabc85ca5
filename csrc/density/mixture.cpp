#include "density/mixture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTile = 1024;    // rows whose responsibilities are in hand at once
constexpr std::size_t kGathered = 64;  // rows of one component that are multiplied together
constexpr double kFar = 1e140;         // beyond it squares are formed in a smaller unit
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Factors laid out for the kernel: of four rows side by side, the columns up to the diagonal.
std::vector<double> packed(Components const& components) {
  std::size_t const cols = components.cols();
  std::vector<double> out;
  if (components.diagonal || components.factor.rows == 0) return out;
  for (std::size_t k = 0; k < components.count(); ++k)
    for (std::size_t first = 0; first < cols; first += kFactorRows)
      for (std::size_t i = 0; i < std::min(first + kFactorRows, cols); ++i)
        for (std::size_t j = first; j < first + kFactorRows; ++j)
          out.push_back(j < cols && i <= j ? components.factor[k * cols + j][i] : 0.0);
  return out;
}

class Mixture {
 public:
  Mixture(AnyRows X, Components const& components, std::size_t threads)
      : X_(X),
        of_(components),
        kernels_(LOOKALIKE_CHOOSE(mixture_kernels)),
        packed_(packed(components)),
        width_(sums_width(components.cols())),
        threads_(threads == 0 ? default_threads() : threads),
        scratch_(threads_),
        centered_(kTile * width_),
        share_(components.count() * kTile),
        density_(kTile) {
    for (auto& own : scratch_)
      own.resize(2 * std::max(kGathered * width_, kMixtureRows * of_.cols()) + width_);
  }

  std::size_t width() const { return width_; }
  double const* shares(std::size_t k) const { return share_.data() + k * kTile; }
  double density(std::size_t row) const { return density_[row]; }

  // Shares and densities of rows begin .. begin + rows, rows <= kTile.
  void weigh(std::size_t begin, std::size_t rows, bool nearest) {
    center(begin, rows);
    parallel_for((rows + kMixtureRows - 1) / kMixtureRows, threads_,
                 [&](std::size_t part, std::size_t worker) {
                   weigh_part(begin, part * kMixtureRows, rows, nearest, scratch_[worker].data());
                 });
  }

  void take(std::size_t begin, std::size_t rows, View<double const> responsibility) {
    center(begin, rows);
    for (std::size_t k = 0; k < of_.count(); ++k)
      for (std::size_t n = 0; n < rows; ++n) share_[k * kTile + n] = responsibility[begin + n][k];
  }

  // Adds the rows in hand to the sums; `weight` is null or has one entry for each of them.
  void add(std::size_t rows, double const* weight, View<double> sums) {
    std::size_t const count = of_.count(), height = sums.rows / count;
    std::size_t const stripes = (height + kFactorRows - 1) / kFactorRows;
    std::size_t const wanted = of_.diagonal ? 1 : (2 * threads_ + count - 1) / count;
    std::size_t const parts = std::min(wanted, stripes);
    parallel_for(count * parts, threads_, [&](std::size_t task, std::size_t worker) {
      std::size_t const k = task / parts, part = task % parts;
      // Work grows with the row of the triangle: parts of equal area.
      auto const edge = [&](std::size_t at) {
        double const share = std::sqrt(static_cast<double>(at) / static_cast<double>(parts));
        auto const stripe = static_cast<std::size_t>(share * static_cast<double>(stripes) + 0.5);
        return std::min(stripe * kFactorRows, height);
      };
      add_component(k, rows, weight, edge(part), edge(part + 1), sums.data + k * height * width_,
                    scratch_[worker].data());
    });
  }

 private:
  void center(std::size_t begin, std::size_t rows) {
    std::size_t const cols = of_.cols();
    parallel_blocks(rows, 128, threads_, [&](std::size_t from, std::size_t to, std::size_t) {
      X_.visit([&](auto X) {
        for (std::size_t n = from; n < to; ++n) {
          double* const out = centered_.data() + n * width_;
          auto const* const x = X.data + (begin + n) * X.stride;
          for (std::size_t j = 0; j < cols; ++j) out[j] = static_cast<double>(x[j]) - of_.shift[j];
          out[cols] = 1.0;
        }
      });
    });
  }

  void weigh_part(std::size_t begin, std::size_t first, std::size_t rows, bool nearest,
                  double* scratch) {
    std::size_t const cols = of_.cols(), count = of_.count();
    std::size_t const here = std::min(kMixtureRows, rows - first);
    double* const c = scratch;  // (cols, 32), the rows that are wanting repeat the last
    double* const gap = scratch + cols * kMixtureRows;
    for (std::size_t n = 0; n < kMixtureRows; ++n) {
      double const* const from = centered_.data() + (first + std::min(n, here - 1)) * width_;
      for (std::size_t j = 0; j < cols; ++j) c[j * kMixtureRows + n] = from[j];
    }
    double q[kMixtureRows];
    std::size_t const step = count == 0 ? 0 : packed_.size() / count;
    for (std::size_t k = 0; k < count; ++k) {
      double const* const mean = of_.mean[k].data();
      if (of_.diagonal)
        kernels_.diagonal(c, mean, of_.factor[k].data(), cols, q);
      else
        kernels_.triangular(c, mean, packed_.data() + k * step, cols, gap, q);
      double* const joint = share_.data() + k * kTile + first;
      for (std::size_t n = 0; n < kMixtureRows; ++n) joint[n] = of_.constant[k] - 0.5 * q[n];
    }
    finish(begin, first, here, nearest);
  }

  // Logarithms of weight times density become shares.
  void finish(std::size_t begin, std::size_t first, std::size_t here, bool nearest) {
    if (nearest) {
      for (std::size_t n = first; n < first + here; ++n) to_nearest(n);
      return;
    }
    double largest[8], sum[8];
    for (std::size_t n = first; n < first + kMixtureRows; n += 8) {
      kernels_.share(share_.data() + n, of_.count(), kTile, largest, sum);
      for (std::size_t i = 0; i < 8 && n + i < first + here; ++i) {
        bool const near = largest[i] > -kInfinity && !is_far(n + i);
        density_[n + i] = near ? largest[i] + std::log(sum[i]) : far_share(begin, n + i);
      }
    }
  }

  void to_nearest(std::size_t n) {
    std::size_t best = 0;
    for (std::size_t k = 1; k < of_.count(); ++k)
      if (share_[k * kTile + n] > share_[best * kTile + n]) best = k;
    density_[n] = share_[best * kTile + n];
    for (std::size_t k = 0; k < of_.count(); ++k) share_[k * kTile + n] = k == best ? 1.0 : 0.0;
  }

  bool is_far(std::size_t n) const {
    double const* const c = centered_.data() + n * width_;
    bool near = true;
    for (std::size_t j = 0; j < of_.cols(); ++j) near &= std::abs(c[j]) <= kFar;
    return !near;
  }

  // A row whose squares overflow float64, measured in a unit in which they do not.
  double far_share(std::size_t begin, std::size_t n) {
    std::size_t const cols = of_.cols(), count = of_.count();
    std::vector<double> x(cols), y(cols), square(count, kInfinity);
    X_.load(begin + n, 1, 1.0, x.data());
    double most = 0.0;
    for (std::size_t j = 0; j < cols; ++j) most = std::max(most, std::abs(x[j]));
    double const unit = std::ldexp(1.0, -std::ilogb(most));
    double least = kInfinity, total = 0.0;
    for (std::size_t k = 0; k < count; ++k) {
      if (of_.constant[k] == -kInfinity) continue;
      for (std::size_t j = 0; j < cols; ++j)
        y[j] = (x[j] * unit - of_.shift[j] * unit) - of_.mean[k][j] * unit;
      square[k] = 0.0;
      for (std::size_t j = 0; j < cols; ++j) {
        double along = 0.0;
        if (of_.diagonal)
          along = of_.factor[k][j] * y[j];
        else
          for (std::size_t i = 0; i <= j; ++i) along += of_.factor[k * cols + j][i] * y[i];
        square[k] += along * along;
      }
      least = std::min(least, square[k]);
    }
    for (std::size_t k = 0; k < count; ++k) total += square[k] == least ? 1.0 : 0.0;
    for (std::size_t k = 0; k < count; ++k)
      share_[k * kTile + n] = square[k] == least ? 1.0 / total : 0.0;
    return std::max(-0.5 * least / unit / unit, std::numeric_limits<double>::lowest());
  }

  void add_component(std::size_t k, std::size_t rows, double const* weight, std::size_t begin,
                     std::size_t end, double* sums, double* scratch) {
    double* const mean = scratch;
    double* const gap = scratch + width_;
    double* const weighted = gap + kGathered * width_;
    std::fill(mean, mean + width_, 0.0);
    std::ranges::copy(of_.mean[k], mean);
    double const* const share = shares(k);
    std::size_t gathered = 0;
    auto const flush = [&] {
      if (of_.diagonal)
        kernels_.squares(gap, weighted, gathered, width_, sums, sums + width_);
      else
        kernels_.products(gap, weighted, gathered, width_, begin, end, sums);
      gathered = 0;
    };
    for (std::size_t n = 0; n < rows; ++n) {
      double const w = weight == nullptr ? share[n] : share[n] * weight[n];
      if (!(w > 0.0)) continue;
      kernels_.gap(centered_.data() + n * width_, mean, w, width_, gap + gathered * width_,
                   weighted + gathered * width_);
      if (++gathered == kGathered) flush();
    }
    flush();
    checkpoint();
  }

  AnyRows X_;
  Components const& of_;
  MixtureKernels const& kernels_;
  std::vector<double> packed_;
  std::size_t width_, threads_;
  std::vector<std::vector<double>> scratch_;
  std::vector<double> centered_, share_, density_;  // of a tile; share_ as (components, kTile)
};

void require_fit(AnyRows X, Components const& of, bool weighed) {
  std::size_t const factors = of.diagonal ? of.count() : of.count() * of.cols();
  require(of.cols() == X.cols() && of.shift.size() == X.cols(),
          "rows and components differ in their number of columns");
  require(
      !weighed || (has_shape(of.factor, factors, of.cols()) && of.constant.size() == of.count()),
      "the arrays of the components do not fit together");
}

}  // namespace

double mixture_sums(AnyRows X, std::span<double const> weight, Components const& components,
                    Assignment assignment, View<double const> responsibility, std::size_t threads,
                    View<double> sums) {
  bool const given = assignment == Assignment::given;
  require_fit(X, components, !given);
  std::size_t const each = components.diagonal ? 2 : X.cols() + 1;
  require((weight.empty() || weight.size() == X.rows()) &&
              (!given || has_shape(responsibility, X.rows(), components.count())) &&
              has_shape(sums, components.count() * each, sums_width(X.cols())),
          "weights, responsibilities and sums do not fit the rows and components");
  Mixture mixture(X, components, threads);
  double total = 0.0;
  for (std::size_t begin = 0; begin < X.rows(); begin += kTile) {
    std::size_t const rows = std::min(kTile, X.rows() - begin);
    double const* const w = weight.empty() ? nullptr : weight.data() + begin;
    if (assignment == Assignment::given)
      mixture.take(begin, rows, responsibility);
    else
      mixture.weigh(begin, rows, assignment == Assignment::hard);
    mixture.add(rows, w, sums);
    if (assignment == Assignment::given) continue;
    double here = 0.0;
    for (std::size_t n = 0; n < rows; ++n)
      if (w == nullptr || w[n] > 0.0) here += mixture.density(n) * (w == nullptr ? 1.0 : w[n]);
    total += here;
  }
  return total;
}

void mixture_responsibilities(AnyRows X, Components const& components, std::size_t threads,
                              View<double> responsibility, std::span<double> log_density) {
  require_fit(X, components, true);
  require(log_density.size() == X.rows() &&
              (responsibility.rows == 0 || has_shape(responsibility, X.rows(), components.count())),
          "responsibilities and densities have no place");
  Mixture mixture(X, components, threads);
  for (std::size_t begin = 0; begin < X.rows(); begin += kTile) {
    std::size_t const rows = std::min(kTile, X.rows() - begin);
    mixture.weigh(begin, rows, false);
    for (std::size_t n = 0; n < rows; ++n) log_density[begin + n] = mixture.density(n);
    for (std::size_t n = 0; responsibility.rows > 0 && n < rows; ++n)
      for (std::size_t k = 0; k < components.count(); ++k)
        responsibility[begin + n][k] = mixture.shares(k)[n];
  }
}

}  // namespace lookalike
