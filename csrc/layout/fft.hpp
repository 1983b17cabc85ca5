// Fourier transforms of the columns of a matrix, many at once: what a convolution on a grid needs.
#pragma once
#include <cstddef>
#include <vector>

#include "core/dispatch.hpp"

namespace lookalike {

inline constexpr std::size_t kFftColumns = 16;  // transformed together by one kernel call

// A matrix of complex numbers, their two parts apart.
struct ComplexGrid {
  std::vector<double> real, imaginary;
  std::size_t rows = 0, cols = 0;

  void resize(std::size_t to_rows, std::size_t to_cols);
};

struct FftStage {
  std::size_t radix, count, stride;  // butterflies of `radix` numbers: `count` x `stride` of them
  std::size_t twiddle;               // where the factors of this stage begin
};

// Transforms of length `size`, a product of twos, threes and fives.
class FftPlan {
 public:
  explicit FftPlan(std::size_t size);
  std::size_t size() const { return size_; }

  // Row c of `out` becomes the first `out.cols` numbers of the transform of column c of `in`, which
  // is taken to go on with zeros. The inverse is not divided by the length.
  void columns(ComplexGrid const& in, ComplexGrid& out, bool inverse, std::size_t threads) const;

 private:
  std::size_t size_;
  std::vector<FftStage> stages_;
  std::vector<double> cosine_, sine_;
};

// The smallest length of at least `least` that a plan takes.
std::size_t fft_size(std::size_t least);

struct FftKernels {
  // One stage: from `in` to `out`, each `size` numbers of kFftColumns columns.
  void (*stage)(FftStage const& stage, double const* cosine, double const* sine,
                double const* in_real, double const* in_imaginary, double* out_real,
                double* out_imaginary);
};

LOOKALIKE_SIMD_TABLE(FftKernels, fft_kernels)

}  // namespace lookalike
