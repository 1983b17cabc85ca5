// The vector kernels of the KD-tree: a packet of queries at once, and the keys of a leaf.
#pragma once
#include <cstddef>
#include <cstdint>

#include "core/dispatch.hpp"
#include "kdtree/part.hpp"

namespace lookalike {

enum class Norm { manhattan, euclidean, chebyshev, minkowski };

// A row that may be among the nearest of a query.
template <class T>
struct Candidate {
  T const* values;  // of column j at values[j * stride]
  std::uint32_t stride;
  std::uint32_t row;
};

// A packet is a few queries that lie near each other, one in each lane of a vector. All walk the
// tree together; rows are compared in T, so that the last places of a key are not to be trusted.
template <class T>
struct Packet {
  KDPartView<T> const* parts;
  std::size_t n_parts;
  T const* query;      // (cols, lanes)
  T* box;              // 2 * cols, scratch: the box of the queries
  std::uint32_t home;  // a leaf of the first part in which queries lie: looked at first
  std::size_t slots;   // how many rows to keep for each query
  T widen;           // rows are passed over when their key is above this multiple of the last kept
  T floor;           // … plus this
  std::size_t room;  // how many candidates can be listed: a power of two, at least 64
  Candidate<T>* candidate;     // (room)
  T* candidate_key;            // (room, lanes)
  T* key;                      // (slots, lanes), ascending in each lane; the last log2(room) bits
                               // of a key are the number of its candidate
  T* runner_up;                // (lanes): no candidate that is not kept has a smaller key
  T* limit;                    // (lanes): all rows up to here are candidates, if `complete`
  std::size_t candidates = 0;  // how many are listed
  bool complete = true;        // false where they were too many, or copies of the queries
  std::uint32_t* gathered;     // (lanes): how many candidates are not above the limit
  std::uint32_t* gathered_at;  // (lanes, room): their numbers
};

// What the lanes of a packet kept, decided in float64; every array is (slots, lanes).
struct Measured {
  double* key;
  double* distance;
  std::uint32_t* at;  // the number of the candidate
  std::uint32_t* row;
};

template <class T>
struct KDKernels {
  std::size_t lanes;
  void (*search[3])(Packet<T>&);  // by Norm
  void (*gather)(Packet<T>&);     // after a search that is complete
  // After a search; `gaps` holds cols * slots * lanes, `scratch` 8 * slots * lanes.
  void (*measure[3])(Packet<T> const&, double* gaps, double* scratch, Measured kept);
  // keys[i] of the `count` rows of a leaf; `query` is scaled already, nullptr
  // where it is 0; `lane` holds 8 * count.
  void (*leaf_keys[3])(T const* values, std::size_t count, std::size_t cols, double const* query,
                       double scale, double* lane, double* keys);
};

LOOKALIKE_SIMD_TABLE(KDKernels<float>, kd_kernels_float)
LOOKALIKE_SIMD_TABLE(KDKernels<double>, kd_kernels_double)

template <class T>
KDKernels<T> const& kd_kernels();

}  // namespace lookalike
