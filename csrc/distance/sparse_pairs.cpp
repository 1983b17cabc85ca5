// Keys of sparse rows. What both rows store is added up column by column for all rows at once, as
// in a sparse product; that gives every key up to a proven rounding error, and only keys that may
// lie within the bound are computed in the order of pairs.hpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"
#include "distance/pairs.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTileQueries = 16;
constexpr std::size_t kTileRows = 16384;
constexpr std::size_t kCheckRows = 256;  // an interrupt waits for this many

struct Row {
  std::int32_t const* column;
  double const* value;
  std::size_t size;
};

Row row_of(SparseRows const& rows, std::size_t row) {
  auto const begin = static_cast<std::size_t>(rows.start[row]);
  auto const end = static_cast<std::size_t>(rows.start[row + 1]);
  return {rows.column.data() + begin, rows.value.data() + begin, end - begin};
}

// join: one more column of a lane. own, common: the key is about the sum of own(q) and own(x) over
// all columns less the sum of common(q, x) over those stored in both. size: of what is rounded.
struct Squared {
  static double join(double sum, double q, double x) { return sum + (q - x) * (q - x); }
  static double own(double x) { return x * x; }
  static double common(double q, double x) { return 2.0 * q * x; }
  static double size(double x) { return x * x; }
  static double key(double const* lane) { return fold_lanes(lane); }
};
struct Manhattan {
  static double join(double sum, double q, double x) { return sum + std::abs(q - x); }
  static double own(double x) { return std::abs(x); }
  static double common(double q, double x) { return std::abs(q) + std::abs(x) - std::abs(q - x); }
  static double size(double x) { return std::abs(x); }
  static double key(double const* lane) { return fold_lanes(lane); }
};
struct Dot {
  static double join(double sum, double q, double x) { return sum + q * x; }
  static double own(double) { return 0.0; }
  static double common(double q, double x) { return q * x; }
  static double size(double x) { return x * x; }
  static double key(double const* lane) { return 0.0 - fold_lanes(lane); }
};
struct Chebyshev {
  static double join(double most, double q, double x) { return std::max(most, std::abs(q - x)); }
  static double key(double const* lane) { return *std::max_element(lane, lane + kLanes); }
};

// The key itself: the columns that either row stores, rising; one that neither stores adds zero.
template <class Term>
double exact_key(Row const& q, Row const& x) {
  double lane[kLanes] = {};
  auto const join = [&](std::int32_t column, double left, double right) {
    double& sum = lane[static_cast<std::size_t>(column) % kLanes];
    sum = Term::join(sum, left, right);
  };
  std::size_t i = 0, j = 0;
  while (i < q.size && j < x.size) {
    std::int32_t const left = q.column[i], right = x.column[j];
    join(std::min(left, right), left <= right ? q.value[i] : 0.0, right <= left ? x.value[j] : 0.0);
    i += left <= right;
    j += right <= left;
  }
  for (; i < q.size; ++i) join(q.column[i], q.value[i], 0.0);
  for (; j < x.size; ++j) join(x.column[j], 0.0, x.value[j]);
  return Term::key(lane);
}

// The rows that store a column, and their values. Columns share a bucket where there are far more
// of them than stored values.
class Postings {
 public:
  struct Entry {
    std::uint32_t row;
    std::int32_t column;
    double value;
  };

  explicit Postings(SparseRows const& rows)
      : buckets_(
            std::clamp<std::size_t>(rows.value.size(), 1, std::max<std::size_t>(rows.cols, 1))),
        start_(buckets_ + 1, 0),
        entries_(rows.value.size()) {
    for (std::int32_t const column : rows.column) ++start_[bucket(column) + 1];
    for (std::size_t b = 0; b < buckets_; ++b) start_[b + 1] += start_[b];
    std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      Row const x = row_of(rows, row);
      for (std::size_t i = 0; i < x.size; ++i)
        entries_[next[bucket(x.column[i])]++] = {static_cast<std::uint32_t>(row), x.column[i],
                                                 x.value[i]};
    }
  }

  // Calls visit(row, value) for the rows of [first, last) that store the column.
  template <class Visit>
  void each(std::int32_t column, std::size_t first, std::size_t last, Visit visit) const {
    auto const begin = entries_.begin() + static_cast<std::ptrdiff_t>(start_[bucket(column)]);
    auto const end = entries_.begin() + static_cast<std::ptrdiff_t>(start_[bucket(column) + 1]);
    auto entry = std::lower_bound(begin, end, first,
                                  [](Entry const& e, std::size_t row) { return e.row < row; });
    for (; entry != end && entry->row < last; ++entry)
      if (entry->column == column) visit(entry->row, entry->value);
  }

 private:
  std::size_t bucket(std::int32_t column) const {
    return static_cast<std::size_t>(column) % buckets_;
  }

  std::size_t buckets_;
  std::vector<std::size_t> start_;
  std::vector<Entry> entries_;
};

struct Sums {
  double own, size;
};

template <class Term>
Sums sums_of(Row const& x) {
  Sums sums{0.0, 0.0};
  for (std::size_t i = 0; i < x.size; ++i) {
    sums.own += Term::own(x.value[i]);
    sums.size += Term::size(x.value[i]);
  }
  return sums;
}

class SparseBase : public Pairs {
 public:
  SparseBase(SparseRows queries, SparseRows rows)
      : Pairs(queries.rows(), rows.rows()), queries_(queries), points_(rows) {
    require(queries.cols == rows.cols, "queries and rows differ in their number of columns");
    require(rows.start.size() <= std::numeric_limits<std::uint32_t>::max(),
            "sparse rows are more than 2^32 - 1");
    require_sparse(queries);
    require_sparse(rows);
  }

  std::size_t most_queries() const override { return kTileQueries; }
  std::size_t most_rows() const override { return kTileRows; }
  std::size_t scratch() const override { return 0; }
  void open(std::size_t, std::size_t, double*) const override {}

 protected:
  SparseRows queries_, points_;
};

class ChebyshevPairs final : public SparseBase {
 public:
  using SparseBase::SparseBase;
  void keys(std::size_t query, std::size_t row, double const*, double*,
            View<double> key) const override {
    for (std::size_t i = 0; i < key.rows; ++i)
      for (std::size_t j = 0; j < key.cols; ++j) {
        if (j % kCheckRows == 0) checkpoint();
        key[i][j] = exact_key<Chebyshev>(row_of(queries_, query + i), row_of(points_, row + j));
      }
  }
};

template <class Term>
class SumPairs final : public SparseBase {
 public:
  SumPairs(SparseRows queries, SparseRows rows) : SparseBase(queries, rows), postings_(rows) {
    own_.reserve(rows.rows());
    size_.reserve(rows.rows());
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      Row const x = row_of(rows, row);
      Sums const sums = sums_of<Term>(x);
      own_.push_back(sums.own);
      size_.push_back(sums.size);
      longest_ = std::max(longest_, x.size);
    }
  }

  void keys(std::size_t query, std::size_t row, double const* bound, double*,
            View<double> key) const override {
    for (std::size_t i = 0; i < key.rows; ++i) {
      Row const q = row_of(queries_, query + i);
      std::span<double> const keys = key[i];
      lower_bounds(q, row, keys);
      for (std::size_t j = 0; j < keys.size(); ++j) {
        if (j % kCheckRows == 0) checkpoint();
        keys[j] = keys[j] > bound[i] ? std::numeric_limits<double>::infinity()
                                     : exact_key<Term>(q, row_of(points_, row + j));
      }
    }
  }

 private:
  // Keys less what rounding may have added. Either way of summing n terms is off by less than
  // n eps times the sum of their sizes, which is at most 4 (size of q + size of x); eight times
  // that also covers the rounding of this bound.
  void lower_bounds(Row const& q, std::size_t row, std::span<double> low) const {
    std::ranges::fill(low, 0.0);
    for (std::size_t at = 0; at < q.size; ++at)
      postings_.each(q.column[at], row, row + low.size(), [&](std::size_t other, double x) {
        low[other - row] += Term::common(q.value[at], x);
      });
    Sums const sums = sums_of<Term>(q);
    auto const terms = static_cast<double>(q.size + longest_ + kLanes);
    double const share = 32.0 * terms * std::numeric_limits<double>::epsilon();
    double const least = terms * std::numeric_limits<double>::min();
    double const* const own = own_.data() + row;
    double const* const size = size_.data() + row;
    for (std::size_t j = 0; j < low.size(); ++j)
      low[j] = (sums.own + own[j]) - low[j] - (share * (sums.size + size[j]) + least);
  }

  Postings postings_;
  std::vector<double> own_, size_;
  std::size_t longest_ = 0;
};

}  // namespace

void require_sparse(SparseRows const& rows) {
  require(rows.column.size() == rows.value.size(), "sparse rows need a column for every value");
  require_starts(rows.start, rows.column.size(), "sparse rows do not follow each other");
  require_places(rows.column, rows.cols, "a sparse row has a column that there is not");
}

std::unique_ptr<Pairs> sparse_pairs(SparseRows queries, SparseRows rows, MetricForm form) {
  switch (form) {
    case MetricForm::squared: return std::make_unique<SumPairs<Squared>>(queries, rows);
    case MetricForm::manhattan: return std::make_unique<SumPairs<Manhattan>>(queries, rows);
    case MetricForm::dot: return std::make_unique<SumPairs<Dot>>(queries, rows);
    case MetricForm::chebyshev: return std::make_unique<ChebyshevPairs>(queries, rows);
    default: throw std::invalid_argument("this dissimilarity has no sparse form");
  }
}

}  // namespace lookalike
