// Keys of tiles of padded float64 rows: a block of queries and rows shares its loads.
#include "distance/pairs.hpp"

#include <math.h>

#include <cstddef>
#include <cstdint>

#include "simd/vec.hpp"

namespace lookalike::simd::LOOKALIKE_LEVEL {
namespace {

#if defined(LOOKALIKE_LEVEL_avx512)
constexpr std::size_t kBlockQueries = 4, kBlockRows = 4;
#elif defined(LOOKALIKE_LEVEL_avx2)
constexpr std::size_t kBlockQueries = 1, kBlockRows = 4;
#else
constexpr std::size_t kBlockQueries = 1, kBlockRows = 1;
#endif

// What a form adds for every eight columns, and how the keys come out of the lanes. Inlined
// before loops are unrolled, or the sums of a block would not stay in registers.
struct Sum {
  static void finish(Doubles const* sum, std::size_t rows, double* key) {
    if (rows == 4)
      fold_four(sum, key);
    else
      for (std::size_t b = 0; b < rows; ++b) key[b] = fold(sum[b]);
  }
};

struct Squared : Sum {
  LOOKALIKE_INLINE static Doubles add(Doubles const& sum, Doubles const& q, Doubles const& x,
                                      double const*) {
    Doubles const gap = q - x;
    return sum + gap * gap;
  }
};

struct Manhattan : Sum {
  LOOKALIKE_INLINE static Doubles add(Doubles const& sum, Doubles const& q, Doubles const& x,
                                      double const*) {
    return sum + absolute(q - x);
  }
};

struct Chebyshev {
  LOOKALIKE_INLINE static Doubles add(Doubles const& most, Doubles const& q, Doubles const& x,
                                      double const*) {
    return larger(most, absolute(q - x));
  }
  static void finish(Doubles const* most, std::size_t rows, double* key) {
    for (std::size_t b = 0; b < rows; ++b) key[b] = largest_of(most[b]);
  }
};

struct Dot : Sum {
  LOOKALIKE_INLINE static Doubles add(Doubles const& sum, Doubles const& q, Doubles const& x,
                                      double const*) {
    return sum + q * x;
  }
  static void finish(Doubles const* sum, std::size_t rows, double* key) {
    Sum::finish(sum, rows, key);
    for (std::size_t b = 0; b < rows; ++b) key[b] = 0.0 - key[b];
  }
};

struct Hamming : Sum {
  LOOKALIKE_INLINE static Doubles add(Doubles const& sum, Doubles const& q, Doubles const& x,
                                      double const* weight) {
    return sum + value_where<Compare::unequal>(q, x, Doubles::load(weight));
  }
};

struct Canberra : Sum {
  LOOKALIKE_INLINE static Doubles add(Doubles const& sum, Doubles const& q, Doubles const& x,
                                      double const*) {
    Doubles const size = absolute(q) + absolute(x);
    return sum + value_where<Compare::unequal>(size, Doubles::all(0.0), absolute(q - x) / size);
  }
};

template <class Term, std::size_t Queries, std::size_t Rows>
void block(View<double const> queries, std::size_t i, View<double const> rows, std::size_t j,
           double const* weight, View<double> key) {
  Doubles sum[Queries][Rows];
  for (auto& of_query : sum)
    for (Doubles& pair : of_query) pair = Doubles::all(0.0);
  double const* const q = queries.data + i * queries.stride;
  double const* const x = rows.data + j * rows.stride;
  for (std::size_t col = 0; col < queries.cols; col += kLanes) {
    Doubles right[Rows];
    for (std::size_t b = 0; b < Rows; ++b) right[b] = Doubles::load(x + b * rows.stride + col);
    for (std::size_t a = 0; a < Queries; ++a) {
      Doubles const left = Doubles::load(q + a * queries.stride + col);
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

Doubles whole_power(Doubles base, unsigned exponent) {
  Doubles power = Doubles::all(1.0);
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1U) power = power * base;
    base = base * base;
  }
  return power;
}

Doubles any_power(Doubles const& base, double exponent) {
  double v[kLanes];
  base.store(v);
  for (double& x : v) x = pow(x, exponent);
  return Doubles::load(v);
}

void minkowski(View<double const> queries, View<double const> rows, PairParameters const& extra,
               View<double> key) {
  constexpr double kMostWhole = 64.0;  // up to here by repeated squaring
  bool const whole = extra.power <= kMostWhole && extra.power == floor(extra.power);
  each_pair(queries, rows, key, [&](double const* q, double const* x) {
    Doubles most = Doubles::all(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes)
      most = larger(most, absolute(Doubles::load(q + col) - Doubles::load(x + col)));
    double const unit = largest_of(most);
    if (unit == 0.0) return 0.0;
    Doubles sum = Doubles::all(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes) {
      Doubles const share =
          absolute(Doubles::load(q + col) - Doubles::load(x + col)) / Doubles::all(unit);
      sum = sum + (whole ? whole_power(share, static_cast<unsigned>(extra.power))
                         : any_power(share, extra.power));
    }
    return unit * pow(fold(sum), 1.0 / extra.power);
  });
}

// Sums weight * term(gap) and the weights themselves over the columns without NaN, and makes the
// key finish(sum, weight) of them.
template <class Term, class Finish>
void sums_of_present(View<double const> queries, View<double const> rows,
                     PairParameters const& extra, View<double> key, Term term, Finish finish) {
  each_pair(queries, rows, key, [&](double const* q, double const* x) {
    Doubles sum = Doubles::all(0.0), seen = Doubles::all(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes) {
      Doubles const gap = Doubles::load(q + col) - Doubles::load(x + col);
      Doubles const weight = Doubles::load(extra.weight + col);
      sum = sum + value_where<Compare::ordered>(gap, gap, weight * term(gap));
      seen = seen + value_where<Compare::ordered>(gap, gap, weight);
    }
    return finish(fold(sum), fold(seen));
  });
}

void nan_euclidean(View<double const> queries, View<double const> rows, PairParameters const& extra,
                   View<double> key) {
  sums_of_present(
      queries, rows, extra, key, [](Doubles const& gap) { return gap * gap; },
      [&](double sum, double weight) {
        return weight > 0.0 ? sum * (extra.total / weight) : HUGE_VAL;
      });
}

Doubles at_most_one(Doubles const& gap) { return smaller(absolute(gap), Doubles::all(1.0)); }

void gower(View<double const> queries, View<double const> rows, PairParameters const& extra,
           View<double> key) {
  if (extra.expected == nullptr) {
    sums_of_present(queries, rows, extra, key, at_most_one,
                    [](double sum, double weight) { return weight > 0.0 ? sum / weight : 1.0; });
    return;
  }
  each_pair(queries, rows, key, [&](double const* q, double const* x) {
    Doubles sum = Doubles::all(0.0), seen = Doubles::all(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes) {
      Doubles const gap = Doubles::load(q + col) - Doubles::load(x + col);
      Doubles const weight = Doubles::load(extra.weight + col);
      sum = sum + value_where<Compare::ordered>(gap, gap, weight * at_most_one(gap));
      sum = sum + value_where<Compare::unequal>(gap, gap, Doubles::load(extra.expected + col));
      seen = seen + value_where<Compare::ordered>(gap, gap, weight);
    }
    double const shared = fold(seen);
    return shared > 0.0 && shared >= extra.min_shared ? fold(sum) / extra.total : 1.0;
  });
}

void bray_curtis(View<double const> queries, View<double const> rows, PairParameters const&,
                 View<double> key) {
  each_pair(queries, rows, key, [&](double const* q, double const* x) {
    Doubles gap = Doubles::all(0.0), size = Doubles::all(0.0);
    for (std::size_t col = 0; col < queries.cols; col += kLanes) {
      Doubles const left = Doubles::load(q + col), right = Doubles::load(x + col);
      gap = gap + absolute(left - right);
      size = size + (absolute(left) + absolute(right));
    }
    double const whole = fold(size);
    return whole == 0.0 ? 0.0 : fold(gap) / whole;
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

// Calls finish(both, first, second) of the counts of every pair, and makes the key of it.
template <class Finish>
void each_pair_of_sets(View<std::uint64_t const> queries, View<std::uint64_t const> rows,
                       View<double> key, Finish finish) {
  for (std::size_t i = 0; i < queries.rows; ++i) {
    std::uint64_t const* const q = queries.data + i * queries.stride;
    for (std::size_t j = 0; j < rows.rows; ++j) {
      std::uint64_t const* const x = rows.data + j * rows.stride;
      std::int64_t both = 0, first = 0, second = 0;
      for (std::size_t word = 0; word < queries.cols; ++word) {
        both += bit_count(q[word] & x[word]);
        first += bit_count(q[word] & ~x[word]);
        second += bit_count(~q[word] & x[word]);
      }
      key.data[i * key.stride + j] = finish(static_cast<double>(both), static_cast<double>(first),
                                            static_cast<double>(second));
    }
  }
}

double ratio(double part, double whole) { return whole == 0.0 ? 0.0 : part / whole; }

void jaccard(View<std::uint64_t const> queries, View<std::uint64_t const> rows, View<double> key) {
  for (std::size_t i = 0; i < queries.rows; ++i) {
    std::uint64_t const* const q = queries.data + i * queries.stride;
    for (std::size_t j = 0; j < rows.rows; ++j) {
      std::uint64_t const* const x = rows.data + j * rows.stride;
      std::int64_t either = 0, only_one = 0;
      for (std::size_t word = 0; word < queries.cols; ++word) {
        either += bit_count(q[word] | x[word]);
        only_one += bit_count(q[word] ^ x[word]);
      }
      key.data[i * key.stride + j] =
          ratio(static_cast<double>(only_one), static_cast<double>(either));
    }
  }
}

void sets(View<std::uint64_t const> queries, View<std::uint64_t const> rows, SetForm form,
          std::size_t cols, View<double> key) {
  auto const all = static_cast<double>(cols);
  switch (form) {
    case SetForm::jaccard: jaccard(queries, rows, key); break;
    case SetForm::dice:
      each_pair_of_sets(queries, rows, key, [](double both, double first, double second) {
        return ratio(first + second, 2.0 * both + first + second);
      });
      break;
    case SetForm::rogers_tanimoto:
      each_pair_of_sets(queries, rows, key, [&](double, double first, double second) {
        return ratio(2.0 * (first + second), all + first + second);
      });
      break;
    case SetForm::russell_rao:
      each_pair_of_sets(queries, rows, key,
                        [&](double both, double, double) { return ratio(all - both, all); });
      break;
    case SetForm::sokal_sneath:
      each_pair_of_sets(queries, rows, key, [](double both, double first, double second) {
        return ratio(2.0 * (first + second), both + 2.0 * (first + second));
      });
      break;
    case SetForm::yule:
      each_pair_of_sets(queries, rows, key, [&](double both, double first, double second) {
        double const half = first * second;
        return ratio(2.0 * half, both * (all - both - first - second) + half);
      });
      break;
  }
}

}  // namespace

PairKernels const pair_kernels = {
    {&sums<Squared>, &sums<Manhattan>, &sums<Chebyshev>, &minkowski, &sums<Dot>, &sums<Hamming>,
     &nan_euclidean, &gower, &function, &bray_curtis, &sums<Canberra>},
    &widen<float>,
    &widen<double>,
    &widen<std::uint8_t>,
    &widen<std::int8_t>,
    &sets,
};

}  // namespace lookalike::simd::LOOKALIKE_LEVEL
