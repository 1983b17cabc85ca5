#include "lsh/lsh.hpp"

#include "bind/arrays.hpp"
#include "bind/enums.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

using Buckets = Matrix<std::uint64_t const>;
using Numbers = Matrix<std::int64_t const>;

template <class T>
void def_lsh(nb::module_& m) {
  m.def(
      "hash_rows",
      [](Matrix<T const> X, HashFamily family, std::size_t tables, std::size_t hashes,
         Matrix<double const> direction, Vector<double const> offset, Vector<double const> center,
         double width, Vector<std::uint64_t const> seed, std::size_t probes,
         Matrix<std::uint64_t> buckets, std::size_t threads) {
        HashFunctions const functions{family,       tables,       hashes, view(direction),
                                      view(offset), view(center), width,  view(seed)};
        nb::gil_scoped_release unlocked;
        hash_rows(view(X), functions, probes, view(buckets), threads);
      },
      nb::kw_only(), "X"_a.noconvert(), "family"_a, "tables"_a, "hashes"_a,
      "direction"_a.noconvert(), "offset"_a.noconvert(), "center"_a.noconvert(), "width"_a,
      "seed"_a.noconvert(), "probes"_a, "buckets"_a.noconvert(), "threads"_a,
      "Write the buckets of every row.");
  m.def(
      "hash_nearest",
      [](Matrix<T const> X, Buckets bucket, Numbers bucket_row, Numbers start,
         Matrix<double const> Q, Buckets query_bucket, Vector<std::int64_t const> exclude,
         KeyForm form, bool scan, Matrix<double> distance, Matrix<std::int64_t> row,
         Vector<std::int64_t> candidates, std::size_t threads) {
        nb::gil_scoped_release unlocked;
        hash_nearest(view(X), {view(bucket), view(bucket_row), view(start)},
                     {view(Q), view(query_bucket), view(exclude)}, form, scan,
                     {view(distance), view(row)}, view(candidates), threads);
      },
      nb::kw_only(), "X"_a.noconvert(), "bucket"_a.noconvert(), "bucket_row"_a.noconvert(),
      "start"_a.noconvert(), "Q"_a.noconvert(), "query_bucket"_a.noconvert(),
      "exclude"_a.noconvert(), "form"_a, "scan"_a, "distance"_a.noconvert(), "row"_a.noconvert(),
      "candidates"_a.noconvert(), "threads"_a,
      "Write the nearest rows of every query among those that share a bucket with it.");
  m.def(
      "hash_within",
      [](Matrix<T const> X, Buckets bucket, Numbers bucket_row, Numbers start,
         Matrix<double const> Q, Buckets query_bucket, Vector<std::int64_t const> exclude,
         KeyForm form, Vector<double const> radius, std::size_t threads) {
        RadiusNeighbors within;
        {
          nb::gil_scoped_release unlocked;
          within = hash_within(view(X), {view(bucket), view(bucket_row), view(start)},
                               {view(Q), view(query_bucket), view(exclude)}, form, view(radius),
                               threads);
        }
        return to_numpy(std::move(within));
      },
      nb::kw_only(), "X"_a.noconvert(), "bucket"_a.noconvert(), "bucket_row"_a.noconvert(),
      "start"_a.noconvert(), "Q"_a.noconvert(), "query_bucket"_a.noconvert(),
      "exclude"_a.noconvert(), "form"_a, "radius"_a.noconvert(), "threads"_a,
      "Return distances, rows and starts of the candidates within the radius of each query.");
}

}  // namespace

void bind_lsh(nb::module_& m) {
  def_enum<HashFamily>(m, "HashFamily", "Families of hash functions under which near rows collide.",
                       "STABLE", HashFamily::stable, "SIGN", HashFamily::sign, "MINHASH",
                       HashFamily::minhash, "SAMPLE", HashFamily::sample);
  def_enum<KeyForm>(m, "KeyForm", "What candidates of a bucket are compared by.", "SQUARED",
                    KeyForm::squared, "MANHATTAN", KeyForm::manhattan, "HAMMING", KeyForm::hamming,
                    "JACCARD", KeyForm::jaccard, "COSINE", KeyForm::cosine);
  def_lsh<float>(m);
  def_lsh<double>(m);
  m.def(
      "sort_tables",
      [](Matrix<std::uint64_t> bucket, Matrix<std::int64_t> row, Matrix<std::int64_t> start,
         std::size_t threads) {
        nb::gil_scoped_release unlocked;
        sort_tables(view(bucket), view(row), view(start), threads);
      },
      nb::kw_only(), "bucket"_a.noconvert(), "row"_a.noconvert(), "start"_a.noconvert(),
      "threads"_a, "Sort the buckets of every table and write whose each was.");
}

}  // namespace lookalike::bind
