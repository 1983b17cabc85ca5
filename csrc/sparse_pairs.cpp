#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pairs.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTileQueries = 16;
constexpr std::size_t kTileRows = 256;

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

struct Squared {
  static double join(double sum, double q, double x) { return sum + (q - x) * (q - x); }
};
struct Manhattan {
  static double join(double sum, double q, double x) { return sum + std::abs(q - x); }
};
struct Largest {
  static double join(double most, double q, double x) { return std::max(most, std::abs(q - x)); }
};
struct Product {
  static double join(double sum, double q, double x) { return sum + q * x; }
};

// Walks the columns that either row stores, rising; a column that neither stores adds zero.
template <class Term>
void gather(Row const& q, Row const& x, double* lane) {
  auto const at = [](std::int32_t column) { return static_cast<std::size_t>(column) % kLanes; };
  std::size_t i = 0, j = 0;
  while (i < q.size && j < x.size) {
    std::int32_t const left = q.column[i], right = x.column[j];
    double& sum = lane[at(std::min(left, right))];
    sum = Term::join(sum, left <= right ? q.value[i] : 0.0, right <= left ? x.value[j] : 0.0);
    i += left <= right;
    j += right <= left;
  }
  for (; i < q.size; ++i) {
    double& sum = lane[at(q.column[i])];
    sum = Term::join(sum, q.value[i], 0.0);
  }
  for (; j < x.size; ++j) {
    double& sum = lane[at(x.column[j])];
    sum = Term::join(sum, 0.0, x.value[j]);
  }
}

double fold(double const* v) {
  return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

double key_of(Form form, Row const& q, Row const& x) {
  double lane[kLanes] = {};
  switch (form) {
    case Form::squared: gather<Squared>(q, x, lane); return fold(lane);
    case Form::manhattan: gather<Manhattan>(q, x, lane); return fold(lane);
    case Form::product: gather<Product>(q, x, lane); return 0.0 - fold(lane);
    default: gather<Largest>(q, x, lane); return *std::max_element(lane, lane + kLanes);
  }
}

class OfSparse final : public Pairs {
 public:
  OfSparse(SparseRows queries, SparseRows rows, Form form)
      : Pairs(queries.rows(), rows.rows()), queries_(queries), points_(rows), form_(form) {
    if (queries.cols != rows.cols)
      throw std::invalid_argument("queries and rows differ in their number of columns");
    if (form != Form::squared && form != Form::manhattan && form != Form::largest &&
        form != Form::product)
      throw std::invalid_argument("this dissimilarity has no sparse form");
  }

  std::size_t most_queries() const override { return kTileQueries; }
  std::size_t most_rows() const override { return kTileRows; }
  std::size_t scratch() const override { return 0; }
  void open(std::size_t, std::size_t, double*) const override {}
  void keys(std::size_t query, std::size_t row, double*, View<double> key) const override {
    for (std::size_t i = 0; i < key.rows; ++i)
      for (std::size_t j = 0; j < key.cols; ++j)
        key[i][j] = key_of(form_, row_of(queries_, query + i), row_of(points_, row + j));
  }

 private:
  SparseRows queries_, points_;
  Form form_;
};

}  // namespace

std::unique_ptr<Pairs> sparse_pairs(SparseRows queries, SparseRows rows, Form form) {
  return std::make_unique<OfSparse>(queries, rows, form);
}

}  // namespace lookalike
