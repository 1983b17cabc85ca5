#include "layout/fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kRadices[] = {4, 2, 3, 5};

std::size_t without(std::size_t size, std::size_t factor) {
  while (size % factor == 0) size /= factor;
  return size;
}

}  // namespace

void ComplexGrid::resize(std::size_t to_rows, std::size_t to_cols) {
  rows = to_rows;
  cols = to_cols;
  real.resize(rows * cols);
  imaginary.resize(rows * cols);
}

std::size_t fft_size(std::size_t least) {
  std::size_t size = std::max<std::size_t>(least, 1);
  while (without(without(without(size, 2), 3), 5) != 1) ++size;
  return size;
}

FftPlan::FftPlan(std::size_t size) : size_(size) {
  if (size == 0 || fft_size(size) != size)
    throw std::invalid_argument("the length of a transform is a product of 2, 3 and 5");
  std::size_t left = size, stride = 1;
  while (left > 1) {
    auto const* const radix = std::ranges::find_if(kRadices, [&](auto r) { return left % r == 0; });
    std::size_t const count = left / *radix;
    stages_.push_back({*radix, count, stride, cosine_.size()});
    for (std::size_t p = 0; p < count; ++p)
      for (std::size_t k = 1; k < *radix; ++k) {
        double const turn = static_cast<double>(p * k % left) / static_cast<double>(left);
        cosine_.push_back(std::cos(2 * std::numbers::pi * turn));
        sine_.push_back(-std::sin(2 * std::numbers::pi * turn));
      }
    left = count;
    stride *= *radix;
  }
}

void FftPlan::columns(ComplexGrid const& in, ComplexGrid& out, bool inverse,
                      std::size_t threads) const {
  FftKernels const& kernels = LOOKALIKE_CHOOSE(fft_kernels);
  constexpr std::size_t kWide = kFftColumns;
  std::size_t const given = std::min(in.rows, size_), kept = std::min(out.cols, size_);
  auto transform_strip = [&](std::size_t strip, std::size_t) {
    thread_local std::vector<double> scratch;
    scratch.assign(4 * size_ * kWide, 0.0);
    double* from[] = {scratch.data(), scratch.data() + size_ * kWide};
    double* to[] = {from[1] + size_ * kWide, from[1] + 2 * size_ * kWide};
    std::size_t const first = strip * kWide, wide = std::min(kWide, in.cols - first);
    // The inverse is the transform with the two parts swapped, before and after.
    for (std::size_t row = 0; row < given; ++row) {
      std::size_t const place = row * in.cols + first;
      std::copy_n(in.real.data() + place, wide, from[inverse] + row * kWide);
      std::copy_n(in.imaginary.data() + place, wide, from[!inverse] + row * kWide);
    }
    for (FftStage const& stage : stages_) {
      kernels.stage(stage, cosine_.data() + stage.twiddle, sine_.data() + stage.twiddle, from[0],
                    from[1], to[0], to[1]);
      std::swap(from, to);
    }
    for (std::size_t c = 0; c < wide; ++c) {
      double* const real = out.real.data() + (first + c) * out.cols;
      double* const imaginary = out.imaginary.data() + (first + c) * out.cols;
      for (std::size_t k = 0; k < kept; ++k) {
        real[k] = from[inverse][k * kWide + c];
        imaginary[k] = from[!inverse][k * kWide + c];
      }
    }
  };
  parallel_for((in.cols + kWide - 1) / kWide, threads, transform_strip);
}

}  // namespace lookalike
