// The vector kernels of the KD-tree: a packet of queries at once, and the keys of a leaf.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kdtree_part.hpp"
#include "simd.hpp"

namespace lookalike {

enum class Norm { manhattan, euclidean, chebyshev, minkowski };

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
  std::size_t
      room;  // how many rows can be listed for each query, where all near ones are asked for
  std::uint32_t* gathered;        // (lanes): how many there are, more than `room` or not
  std::uint32_t* gathered_place;  // (lanes, room)
};

template <class T>
struct KDKernels {
  std::size_t lanes;
  void (*search[3])(Packet<T> const&);  // by Norm
  void (*gather[3])(Packet<T> const&);  // after a search: all rows not above its widened last key
  // keys[i] of the `count` rows of a leaf; `query` is scaled already; `lane` holds 8 * count.
  void (*leaf_keys[3])(T const* values, std::size_t count, std::size_t cols, double const* query,
                       double scale, double* lane, double* keys);
};

LOOKALIKE_SIMD_TABLE(KDKernels<float>, kd_kernels_float)
LOOKALIKE_SIMD_TABLE(KDKernels<double>, kd_kernels_double)

template <class T>
KDKernels<T> const& kd_kernels();

}  // namespace lookalike
