// Gaussian mixtures: which component a row belongs to, and the sums from which EM goes on.
//
// Rows are taken a tile at a time: first every row's responsibilities, side by side, then every
// component's sums, each in the order of the rows. So neither threads nor tiles show in the bits,
// and nothing larger than a tile is kept.
#pragma once
#include <cstddef>
#include <span>

#include "core/any_rows.hpp"
#include "core/dispatch.hpp"
#include "core/view.hpp"

namespace lookalike {

// Component k of a row x with c = x - shift has the logarithm of weight times density
//   constant_k - |W_k (c - mean_k)|^2 / 2,
// W_k lower triangular (factor holds k matrices one below the other) or diagonal (one row each).
struct Components {
  std::span<double const> shift;     // (d,)
  View<double const> mean;           // (k, d)
  View<double const> factor;         // (k * d, d), or (k, d) where diagonal
  std::span<double const> constant;  // (k,), -infinity for a component of no weight
  bool diagonal = false;

  std::size_t count() const { return mean.rows; }
  std::size_t cols() const { return mean.cols; }
};

// Rows belong to all components by density, to the most likely one, or as `responsibility` says.
enum class Assignment { soft, hard, given };

// Doubles from one row of sums to the next: those of the columns, a one, and zeros.
constexpr std::size_t sums_width(std::size_t cols) { return (cols + 8) / 8 * 8; }

// With z = (x - shift - mean_k, 1), adds sum_n w_n r_nk z z' to component k of `sums`, the lower
// triangle at least; for diagonal components, of which `sums` has two rows, sum w r z and
// sum w r z^2. Returns sum_n w_n log p(x_n). `assignment` given reads `responsibility` (n, k).
double mixture_sums(AnyRows X, std::span<double const> weight, Components const& components,
                    Assignment assignment, View<double const> responsibility, std::size_t threads,
                    View<double> sums);

// Writes the responsibilities of every row, where `responsibility` has rows, and log p(x). Both
// are finite for every row: one so far off that its square leaves the range of float64 belongs to
// the component that is nearest in its own measure, and has the least finite log p(x).
void mixture_responsibilities(AnyRows X, Components const& components, std::size_t threads,
                              View<double> responsibility, std::span<double> log_density);

inline constexpr std::size_t kMixtureRows = 32;  // rows of one call of `distances`
inline constexpr std::size_t kFactorRows = 4;    // rows of a factor that lie side by side
inline constexpr double kLeastShare = -60.0;     // exp of it and less counts as zero

struct MixtureKernels {
  // q[n] = |W (c_n - mean)|^2 of 32 rows; c as (cols, 32), `gap` is scratch of that size.
  void (*triangular)(double const* c, double const* mean, double const* packed, std::size_t cols,
                     double* gap, double* q);
  void (*diagonal)(double const* c, double const* mean, double const* scale, std::size_t cols,
                   double* q);
  // Logarithms in columns of `joint` become responsibilities; 8 rows, and their largest and sum.
  void (*share)(double* joint, std::size_t components, std::size_t stride, double* largest,
                double* sum);
  // gap = c - mean and weighted = w * gap, of `width` columns.
  void (*gap)(double const* c, double const* mean, double w, std::size_t width, double* gap,
              double* weighted);
  // Rows begin .. end of sums += sum_n weighted_n gap_n', up to the diagonal at least.
  void (*products)(double const* gap, double const* weighted, std::size_t rows, std::size_t width,
                   std::size_t begin, std::size_t end, double* sums);
  // first += sum_n weighted_n, second += sum_n weighted_n gap_n.
  void (*squares)(double const* gap, double const* weighted, std::size_t rows, std::size_t width,
                  double* first, double* second);
};

LOOKALIKE_SIMD_TABLE(MixtureKernels, mixture_kernels)

}  // namespace lookalike
