// Keys of tiles of padded float64 rows: a block of queries and rows shares its loads.
#include "distance/pairs.hpp"

#include <math.h>

#include <cstddef>
#include <cstdint>

#include "simd/pair_lanes.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

#if defined(LOOKALIKE_LEVEL_avx512)
constexpr std::size_t kBlockQueries = 4, kBlockRows = 4;
#elif defined(LOOKALIKE_LEVEL_avx2)
constexpr std::size_t kBlockQueries = 1, kBlockRows = 4;
#else
constexpr std::size_t kBlockQueries = 1, kBlockRows = 1;
#endif

// What a form adds for every eight columns, and how the keys come out of the lanes.
struct Sum {
  static void finish(Lanes const* sum, std::size_t rows, double* key) {
    if (rows == 4)
      fold_four(sum, key);
    else
      for (std::size_t b = 0; b < rows; ++b) key[b] = fold(sum[b]);
  }
};

struct Squared : Sum {
  static Lanes add(Lanes const& sum, Lanes const& q, Lanes const& x, double const*) {
    Lanes const gap = q - x;
    return sum + gap * gap;
  }
};

struct Manhattan : Sum {
  static Lanes add(Lanes const& sum, Lanes const& q, Lanes const& x, double const*) {
    return sum + size(q - x);
  }
};

struct Largest {
  static Lanes add(Lanes const& most, Lanes const& q, Lanes const& x, double const*) {
    return larger(most, size(q - x));
  }
  static void finish(Lanes const* most, std::size_t rows, double* key) {
    for (std::size_t b = 0; b < rows; ++b) key[b] = largest(most[b]);
  }
};

struct Product : Sum {
  static Lanes add(Lanes const& sum, Lanes const& q, Lanes const& x, double const*) {
    return sum + q * x;
  }
  static void finish(Lanes const* sum, std::size_t rows, double* key) {
    Sum::finish(sum, rows, key);
    for (std::size_t b = 0; b < rows; ++b) key[b] = 0.0 - key[b];
  }
};

struct Unequal : Sum {
  static Lanes add(Lanes const& sum, Lanes const& q, Lanes const& x, double const* weight) {
    return sum + where_unequal(q, x, load(weight));
  }
};

template <class Term, std::size_t Queries, std::size_t Rows>
void block(View<double const> queries, std::size_t i, View<double const> rows, std::size_t j,
           double const* weight, View<double> key) {
  Lanes sum[Queries][Rows];
  for (auto& of_query : sum)
    for (Lanes& pair : of_query) pair = same(0.0);
  double const* const q = queries.data + i * queries.stride;
  double const* const x = rows.data + j * rows.stride;
  for (std::size_t col = 0; col < queries.cols; col += kLanes) {
    Lanes right[Rows];
    for (std::size_t b = 0; b < Rows; ++b) right[b] = load(x + b * rows.stride + col);
    for (std::size_t a = 0; a < Queries; ++a) {
      Lanes const left = load(q + a * queries.stride + col);
      for (std::size_t b = 0; b < Rows; ++b)
        sum[a][b] = Term::add(sum[a][b], left, right[b], weight + col);
    }
  }
  for (std::size_t a = 0; a < Queries; ++a)
    Term::finish(sum[a], Rows, key.data + (i + a) * key.stride + j);
}

template <class Term, std::size_t Queries>
void strip(View<double const> queries, std::size_t i, View<double const> rows, double const* weight,
           View<double> key) {
  std::size_t j = 0;
  for (; j + kBlockRows <= rows.rows; j += kBlockRows)
    block<Term, Queries, kBlockRows>(queries, i, rows, j, weight, key);
  for (; j < rows.rows; ++j) block<Term, Queries, 1>(queries, i, rows, j, weight, key);
}

template <class Term>
void sums(View<double const> queries, View<double const> rows, PairParameters const& extra,
          View<double> key) {
  std::size_t i = 0;
  for (; i + kBlockQueries <= queries.rows; i += kBlockQueries)
    strip<Term, kBlockQueries>(queries, i, rows, extra.weight, key);
  for (; i < queries.rows; ++i) strip<Term, 1>(queries, i, rows, extra.weight, key);
}

// Calls pair(q, x) for all pairs, one after the other.
template <class Pair>
void each_pair(View<double const> queries, View<double const> rows, View<double> key, Pair pair) {
  for (std::size_t i = 0; i < queries.rows; ++i)
    for (std::size_t j = 0; j < rows.rows; ++j)
      key.data[i * key.stride + j] =
          pair(queries.data + i * queries.stride, rows.data + j * rows.stride);
}

Lanes whole_power(Lanes base, unsigned exponent) {
  Lanes power = same(1.0);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1U) power = power * base;
    base = base * base;
  }
  return power;
}

Lanes any_power(Lanes const& base, double exponent) {
  double v[kLanes];
  store(v, base);
  for (double& x : v) x = pow(x, exponent);
  return load(v);
}

void power(View<double const> queries, View<double const> rows, PairParameters const& extra,
           View<double> key) {
  constexpr double kMostWhole = 64.0;  // up to here by repeated squaring
  bool const whole = extra.power <= kMostWhole && extra.power == floor(extra.power);
  each_pair(queries, rows, key, [&](double const* q, double const* x) {
    Lanes most = same(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes)
      most = larger(most, size(load(q + col) - load(x + col)));
    double const unit = largest(most);
    if (unit == 0.0) return 0.0;
    Lanes sum = same(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes) {
      Lanes const share = size(load(q + col) - load(x + col)) / same(unit);
      sum = sum + (whole ? whole_power(share, static_cast<unsigned>(extra.power))
                         : any_power(share, extra.power));
    }
    return unit * pow(fold(sum), 1.0 / extra.power);
  });
}

void present(View<double const> queries, View<double const> rows, PairParameters const& extra,
             View<double> key) {
  each_pair(queries, rows, key, [&](double const* q, double const* x) {
    Lanes sum = same(0.0), seen = same(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes) {
      Lanes const gap = load(q + col) - load(x + col);
      Lanes const weight = load(extra.weight + col);
      sum = sum + where_present(gap, weight * (gap * gap));
      seen = seen + where_present(gap, weight);
    }
    double const weight = fold(seen);
    return weight > 0.0 ? fold(sum) * (extra.total / weight) : HUGE_VAL;
  });
}

void gower(View<double const> queries, View<double const> rows, PairParameters const& extra,
           View<double> key) {
  each_pair(queries, rows, key, [&](double const* q, double const* x) {
    Lanes sum = same(0.0), seen = same(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes) {
      Lanes const gap = load(q + col) - load(x + col);
      Lanes const weight = load(extra.weight + col);
      sum = sum + where_present(gap, weight * smaller(size(gap), same(1.0)));
      seen = seen + where_present(gap, weight);
    }
    double const weight = fold(seen);
    return weight > 0.0 ? fold(sum) / weight : 1.0;
  });
}

void function(View<double const> queries, View<double const> rows, PairParameters const& extra,
              View<double> key) {
  each_pair(queries, rows, key,
            [&](double const* q, double const* x) { return extra.call(q, x, extra.cols); });
}

template <class T>
void widen(View<T const> rows, double scale, View<double> out) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    T const* __restrict const from = rows.data + i * rows.stride;
    double* __restrict const to = out.data + i * out.stride;
    for (std::size_t j = 0; j < rows.cols; ++j) to[j] = static_cast<double>(from[j]) * scale;
    for (std::size_t j = rows.cols; j < out.cols; ++j) to[j] = 0.0;
  }
}

std::int64_t ones(std::uint64_t bits) {
#if defined(__GNUC__)
  return __builtin_popcountll(bits);
#else
  bits -= bits >> 1 & 0x5555555555555555U;
  bits = (bits & 0x3333333333333333U) + (bits >> 2 & 0x3333333333333333U);
  return static_cast<std::int64_t>(
      ((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0FU) * 0x0101010101010101U >> 56);
#endif
}

void jaccard(View<std::uint64_t const> queries, View<std::uint64_t const> rows, View<double> key) {
  for (std::size_t i = 0; i < queries.rows; ++i) {
    std::uint64_t const* const q = queries.data + i * queries.stride;
    for (std::size_t j = 0; j < rows.rows; ++j) {
      std::uint64_t const* const x = rows.data + j * rows.stride;
      std::int64_t either = 0, only_one = 0;
      for (std::size_t word = 0; word < queries.cols; ++word) {
        either += ones(q[word] | x[word]);
        only_one += ones(q[word] ^ x[word]);
      }
      key.data[i * key.stride + j] =
          either == 0 ? 0.0 : static_cast<double>(only_one) / static_cast<double>(either);
    }
  }
}

}  // namespace

extern PairKernels const pair_kernels;
PairKernels const pair_kernels = {
    {&sums<Squared>, &sums<Manhattan>, &sums<Largest>, &power, &sums<Product>, &sums<Unequal>,
     &present, &gower, &function},
    &widen<float>,
    &widen<double>,
    &widen<std::uint8_t>,
    &widen<std::int8_t>,
    &jaccard,
};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
