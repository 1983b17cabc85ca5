// One query against a KD-tree in float64, and the kernels that search a packet of queries at once.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kdtree_part.hpp"
#include "simd.hpp"
#include "view.hpp"

namespace lookalike {

enum class Norm { manhattan, euclidean, chebyshev, minkowski };

// A distance and its key: what is compared, the square of a Euclidean distance and any other
// distance itself. Terms are summed in eight lanes, lane j % 8 for column j, and the lanes folded
// in half. Powers are taken of gaps divided by the largest: no p is too large.
struct Minkowski {
  Norm norm;
  double p;  // of Norm::minkowski

  // A power of two by which values are multiplied so that no key overflows or vanishes.
  static double scale(double largest);
  double distance(double key, double scale) const;
};

struct Found {
  double key;
  std::int64_t row;
  friend bool operator<(Found const& a, Found const& b) {
    return (a.key < b.key) | ((a.key == b.key) & (a.row < b.row));
  }
};

struct Neighbors {  // both of shape (queries, k)
  View<double> distance;
  View<std::int64_t> row;
};

struct KDQuery {
  double const* values;
  std::int64_t exclude;  // a row number, or -1
};

// The k smallest keys that are <= limit, in order. `best` is overwritten; the scale of its keys is
// returned.
template <class T>
double search_nearest(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                      std::size_t k, double limit, double slack, std::vector<Found>& best);

// The same for all rows at distance <= radius.
template <class T>
double search_within(std::vector<KDPart<T>> const& parts, KDQuery query, Minkowski metric,
                     double radius, std::vector<Found>& found);

// The key of one row of a leaf: values[j * stride] is its column j.
template <class T>
double row_key(Minkowski metric, double const* query, T const* values, std::size_t stride,
               std::size_t cols, double scale);

// A packet is a few queries that lie near each other, one in each lane of a vector. All walk the
// tree together; rows are compared in T, so that the last places of a key are not to be trusted.
template <class T>
struct Packet {
  KDPartView<T> const* parts;
  std::size_t n_parts;
  T const* query;     // (cols, lanes)
  T* box;             // 2 * cols, scratch: the box of the queries
  std::size_t slots;  // how many rows to keep for each query
  T widen;            // a box is passed over when its key is above this multiple of the last kept
  T floor;            // … and above that plus this
  T* key;             // (slots, lanes), ascending in each lane
  T* place;           // (slots, lanes): an integer as wide as T, -1 where no row was found
  T* runner_up;       // (lanes): no row compared and not kept has a smaller key
};

template <class T>
struct KDKernels {
  std::size_t lanes;
  void (*search[3])(Packet<T> const&);  // by Norm
  // keys[i] of the `count` rows of a leaf; `query` is scaled already; `lane` holds 8 * count.
  void (*leaf_keys[3])(T const* values, std::size_t count, std::size_t cols, double const* query,
                       double scale, double* lane, double* keys);
};

LOOKALIKE_SIMD_TABLE(KDKernels<float>, kd_kernels_float)
LOOKALIKE_SIMD_TABLE(KDKernels<double>, kd_kernels_double)

template <class T>
KDKernels<T> const& kd_kernels();

}  // namespace lookalike
