// Locality sensitive hashing: near rows share buckets, and exact keys order what the buckets hold.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/dispatch.hpp"
#include "core/topk.hpp"
#include "core/view.hpp"

namespace lookalike {

enum class HashFamily {
  stable,   // floor((a'x + b) / width): a Gaussian for L2, Cauchy for L1 [Datar04]
  sign,     // whether a'x >= 0 [Charikar02]
  minhash,  // the first member of the set in a random order of all columns [Broder97]
  sample,   // the value in a random column [Indyk98]
};

enum class KeyForm {
  squared,
  manhattan,
  hamming,
  jaccard,
  cosine,  // half the squared distance of unit rows
};

// Functions `hashes` at a time make the bucket of one table.
struct HashFunctions {
  HashFamily family;
  std::size_t tables;
  std::size_t hashes;
  View<double const> direction;         // (tables * hashes, cols) of stable and sign
  std::span<double const> offset;       // of stable, in units of the width
  std::span<double const> center;       // taken from every row before; empty for none
  double width;                         // of stable
  std::span<std::uint64_t const> seed;  // of minhash, or the columns of sample
};

// Row i of `buckets` receives the buckets of row i of X: for each table its own and those that the
// `probes` easiest changes of some of its hashes lead to [Lv07], (tables * (1 + probes)) in all.
template <class T>
void hash_rows(View<T const> X, HashFunctions const& functions, std::size_t probes,
               View<std::uint64_t> buckets, std::size_t threads);

// Table t: the buckets of all rows in order, the row of each, and where buckets that begin with
// the same bits start: start.cols - 1 is a power of two, the number of such beginnings.
struct HashTables {
  View<std::uint64_t const> bucket;  // (tables, rows)
  View<std::int64_t const> row;
  View<std::int64_t const> start;
};

// Sorts each row of `bucket`, equal buckets by row number; writes whose they were to `row`, and
// where beginnings start to `start`.
void sort_tables(View<std::uint64_t> bucket, View<std::int64_t> row, View<std::int64_t> start,
                 std::size_t threads);

struct HashQueries {
  View<double const> values;
  View<std::uint64_t const> buckets;  // of every query, as hash_rows writes them
  std::span<std::int64_t const> exclude;
};

// Nearest rows among those that share a bucket with the query. candidates[i] receives how many
// there were, or -1 where they were fewer than k; then all rows are compared where `scan` is true,
// and nothing is written to `out` where it is not.
template <class T>
void hash_nearest(View<T const> X, HashTables tables, HashQueries queries, KeyForm form, bool scan,
                  NeighborTable out, std::span<std::int64_t> candidates, std::size_t threads);

// Rows among them at distance <= radius[i], nearest first.
template <class T>
RadiusNeighbors hash_within(View<T const> X, HashTables tables, HashQueries queries, KeyForm form,
                            std::span<double const> radius, std::size_t threads);

struct HashKernels {
  // dots[h] = sum_j direction[h][j] x[j], in eight lanes
  void (*project)(double const* direction, std::size_t count, std::size_t cols, double const* x,
                  double* dots);
  double (*key_float[5])(double const* query, float const* x, std::size_t cols);  // by KeyForm
  double (*key_double[5])(double const* query, double const* x, std::size_t cols);
};

LOOKALIKE_SIMD_TABLE(HashKernels, hash_kernels)

}  // namespace lookalike
