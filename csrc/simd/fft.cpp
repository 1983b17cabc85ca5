// Butterflies of the Stockham transform, each on kFftColumns columns at once.
#include "layout/fft.hpp"

#include <cstddef>

#include "core/portable.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

constexpr std::size_t kWide = kFftColumns;

struct Place {  // of the numbers of a butterfly, `step` from one to the next
  double const* real;
  double const* imaginary;
  std::size_t step;
};
struct Target {
  double* real;
  double* imaginary;
  std::size_t step;
};

// out_k = w^k sum_j exp(-2 pi i j k / R) in_j, with w^k = (cosine + i sine)[k - 1].
template <std::size_t R>
LOOKALIKE_INLINE void turn(double (&re)[R], double (&im)[R]);

template <>
LOOKALIKE_INLINE void turn<2>(double (&re)[2], double (&im)[2]) {
  double const a = re[0], b = im[0];
  re[0] = a + re[1];
  im[0] = b + im[1];
  re[1] = a - re[1];
  im[1] = b - im[1];
}

template <>
LOOKALIKE_INLINE void turn<3>(double (&re)[3], double (&im)[3]) {
  constexpr double kSine = 0.86602540378443864676;
  double const sum_re = re[1] + re[2], sum_im = im[1] + im[2];
  double const gap_re = kSine * (re[1] - re[2]), gap_im = kSine * (im[1] - im[2]);
  double const mid_re = re[0] - 0.5 * sum_re, mid_im = im[0] - 0.5 * sum_im;
  re[0] += sum_re;
  im[0] += sum_im;
  re[1] = mid_re + gap_im;
  im[1] = mid_im - gap_re;
  re[2] = mid_re - gap_im;
  im[2] = mid_im + gap_re;
}

template <>
LOOKALIKE_INLINE void turn<4>(double (&re)[4], double (&im)[4]) {
  double const a_re = re[0] + re[2], a_im = im[0] + im[2];
  double const b_re = re[0] - re[2], b_im = im[0] - im[2];
  double const c_re = re[1] + re[3], c_im = im[1] + im[3];
  double const d_re = re[1] - re[3], d_im = im[1] - im[3];
  re[0] = a_re + c_re;
  im[0] = a_im + c_im;
  re[1] = b_re + d_im;
  im[1] = b_im - d_re;
  re[2] = a_re - c_re;
  im[2] = a_im - c_im;
  re[3] = b_re - d_im;
  im[3] = b_im + d_re;
}

template <>
LOOKALIKE_INLINE void turn<5>(double (&re)[5], double (&im)[5]) {
  constexpr double kCos1 = 0.30901699437494742410, kCos2 = -0.80901699437494742410;
  constexpr double kSin1 = 0.95105651629515357212, kSin2 = 0.58778525229247312917;
  double const s1_re = re[1] + re[4], s1_im = im[1] + im[4];
  double const s2_re = re[2] + re[3], s2_im = im[2] + im[3];
  double const d1_re = re[1] - re[4], d1_im = im[1] - im[4];
  double const d2_re = re[2] - re[3], d2_im = im[2] - im[3];
  double const m1_re = re[0] + kCos1 * s1_re + kCos2 * s2_re;
  double const m1_im = im[0] + kCos1 * s1_im + kCos2 * s2_im;
  double const m2_re = re[0] + kCos2 * s1_re + kCos1 * s2_re;
  double const m2_im = im[0] + kCos2 * s1_im + kCos1 * s2_im;
  double const n1_re = kSin1 * d1_re + kSin2 * d2_re, n1_im = kSin1 * d1_im + kSin2 * d2_im;
  double const n2_re = kSin2 * d1_re - kSin1 * d2_re, n2_im = kSin2 * d1_im - kSin1 * d2_im;
  re[0] += s1_re + s2_re;
  im[0] += s1_im + s2_im;
  re[1] = m1_re + n1_im;
  im[1] = m1_im - n1_re;
  re[4] = m1_re - n1_im;
  im[4] = m1_im + n1_re;
  re[2] = m2_re + n2_im;
  im[2] = m2_im - n2_re;
  re[3] = m2_re - n2_im;
  im[3] = m2_im + n2_re;
}

template <std::size_t R>
LOOKALIKE_INLINE void butterfly(Place in, Target out, double const* cosine, double const* sine) {
  double const* __restrict const in_re = in.real;
  double const* __restrict const in_im = in.imaginary;
  double* __restrict const out_re = out.real;
  double* __restrict const out_im = out.imaginary;
  for (std::size_t c = 0; c < kWide; ++c) {
    double re[R], im[R];
    for (std::size_t j = 0; j < R; ++j) {
      re[j] = in_re[j * in.step + c];
      im[j] = in_im[j * in.step + c];
    }
    turn<R>(re, im);
    out_re[c] = re[0];
    out_im[c] = im[0];
    for (std::size_t k = 1; k < R; ++k) {
      out_re[k * out.step + c] = re[k] * cosine[k - 1] - im[k] * sine[k - 1];
      out_im[k * out.step + c] = re[k] * sine[k - 1] + im[k] * cosine[k - 1];
    }
  }
}

template <std::size_t R>
void run_stage(FftStage const& stage, double const* cosine, double const* sine,
               double const* in_real, double const* in_imaginary, double* out_real,
               double* out_imaginary) {
  std::size_t const s = stage.stride, m = stage.count;
  for (std::size_t p = 0; p < m; ++p)
    for (std::size_t q = 0; q < s; ++q) {
      std::size_t const from = (q + s * p) * kWide, to = (q + s * R * p) * kWide;
      butterfly<R>({in_real + from, in_imaginary + from, s * m * kWide},
                   {out_real + to, out_imaginary + to, s * kWide}, cosine + p * (R - 1),
                   sine + p * (R - 1));
    }
}

void stage(FftStage const& which, double const* cosine, double const* sine, double const* in_real,
           double const* in_imaginary, double* out_real, double* out_imaginary) {
  switch (which.radix) {
    case 2:
      return run_stage<2>(which, cosine, sine, in_real, in_imaginary, out_real, out_imaginary);
    case 3:
      return run_stage<3>(which, cosine, sine, in_real, in_imaginary, out_real, out_imaginary);
    case 4:
      return run_stage<4>(which, cosine, sine, in_real, in_imaginary, out_real, out_imaginary);
    default:
      return run_stage<5>(which, cosine, sine, in_real, in_imaginary, out_real, out_imaginary);
  }
}

}  // namespace

FftKernels const fft_kernels = {&stage};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
