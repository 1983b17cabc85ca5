// Hash tables against a plain count of shared buckets, on several threads.
#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "check.hpp"
#include "kdtree/median.hpp"
#include "lsh/lsh.hpp"

using namespace lookalike;

constexpr std::size_t kRows = 300, kCols = 11, kTables = 5, kHashes = 2, kNeighbors = 6;
constexpr std::size_t kStarts = 129;  // of 7 bits

bool share_a_bucket(std::uint64_t const* a, std::uint64_t const* b) {
  for (std::size_t t = 0; t < kTables; ++t)
    if (a[t] == b[t]) return true;
  return false;
}

template <class T>
void check_family(HashFamily family, KeyForm form) {
  Random random(5);
  std::vector<T> values(kRows * kCols);
  for (T& value : values) value = static_cast<T>(random.below(2));
  std::vector<double> const queries(values.begin(), values.end());
  std::vector<double> direction(kTables * kHashes * kCols), offset(kTables * kHashes);
  std::vector<std::uint64_t> seed(kTables * kHashes);
  for (double& value : direction) value = random.unit() - 0.5;
  for (double& value : offset) value = random.unit();
  for (std::uint64_t& value : seed) value = random.below(kCols);
  View<T const> const X{values.data(), kRows, kCols, kCols};
  HashFunctions const functions{
      family, kTables, kHashes, {direction.data(), kTables * kHashes, kCols, kCols},
      offset, {},      0.5,     seed};
  std::vector<std::uint64_t> buckets(kRows * kTables);
  hash_rows(X, functions, 0, {buckets.data(), kRows, kTables, kTables}, 3);

  std::vector<std::uint64_t> sorted(kTables * kRows);
  std::vector<std::int64_t> sorted_row(kTables * kRows);
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t t = 0; t < kTables; ++t) sorted[t * kRows + i] = buckets[i * kTables + t];
  std::vector<std::int64_t> start(kTables * kStarts);
  sort_tables({sorted.data(), kTables, kRows, kRows}, {sorted_row.data(), kTables, kRows, kRows},
              {start.data(), kTables, kStarts, kStarts}, 3);

  std::vector<double> distance(kRows * kNeighbors);
  std::vector<std::int64_t> row(kRows * kNeighbors), compared(kRows);
  HashQueries const hash_queries{
      {queries.data(), kRows, kCols, kCols}, {buckets.data(), kRows, kTables, kTables}, {}};
  hash_nearest(X,
               {{sorted.data(), kTables, kRows, kRows},
                {sorted_row.data(), kTables, kRows, kRows},
                {start.data(), kTables, kStarts, kStarts}},
               hash_queries, form, true,
               {{distance.data(), kRows, kNeighbors, kNeighbors},
                {row.data(), kRows, kNeighbors, kNeighbors}},
               compared, 3);
  for (std::size_t i = 0; i < kRows; ++i) {
    std::int64_t shared = 0;
    for (std::size_t j = 0; j < kRows; ++j)
      shared += share_a_bucket(&buckets[i * kTables], &buckets[j * kTables]) ? 1 : 0;
    CHECK(compared[i] == (shared >= static_cast<std::int64_t>(kNeighbors) ? shared : -1));
    CHECK(distance[i * kNeighbors] == 0.0);
    CHECK(std::is_sorted(&distance[i * kNeighbors], &distance[(i + 1) * kNeighbors]));
  }
}

// Every probe of a table is another bucket, and the first is that of the row itself.
void check_probes(HashFamily family, std::size_t probes) {
  Random random(9);
  std::vector<double> values(kRows * kCols), direction(kTables * kHashes * kCols);
  for (double& value : values) value = random.unit();
  for (double& value : direction) value = random.unit() - 0.5;
  std::vector<double> const offset(kTables * kHashes, 0.25);
  View<double const> const X{values.data(), kRows, kCols, kCols};
  HashFunctions const functions{
      family, kTables, kHashes, {direction.data(), kTables * kHashes, kCols, kCols},
      offset, {},      0.5,     {}};
  std::size_t const each = 1 + probes;
  std::vector<std::uint64_t> own(kRows * kTables), all(kRows * kTables * each);
  hash_rows(X, functions, 0, {own.data(), kRows, kTables, kTables}, 2);
  hash_rows(X, functions, probes, {all.data(), kRows, kTables * each, kTables * each}, 2);
  for (std::size_t i = 0; i < kRows * kTables; ++i) {
    auto const first = all.begin() + static_cast<std::ptrdiff_t>(i * each);
    std::set<std::uint64_t> const different(first, first + static_cast<std::ptrdiff_t>(each));
    CHECK(*first == own[i]);
    CHECK(different.size() == each);
  }
}

int main() {
  check_probes(HashFamily::stable, 8);  // all there are of two hashes
  check_probes(HashFamily::sign, 3);

  check_family<float>(HashFamily::stable, KeyForm::squared);
  check_family<double>(HashFamily::stable, KeyForm::manhattan);
  check_family<float>(HashFamily::sign, KeyForm::cosine);
  check_family<double>(HashFamily::minhash, KeyForm::jaccard);
  check_family<float>(HashFamily::sample, KeyForm::hamming);
  return 0;
}
