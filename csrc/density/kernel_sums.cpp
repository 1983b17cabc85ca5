#include "density/kernel_sums.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTile = 48;   // queries of one task, while a panel stays near
constexpr std::size_t kGroup = 12;  // of them whose keys are in hand at once: by sixes and by fours
constexpr double kFar = std::numeric_limits<double>::infinity();

// Keys of float64 differences.
template <class T>
class DirectKeys {
 public:
  DirectKeys(View<T const> X, KernelSumRows const& rows, AnyRows Q) : X_(X), rows_(rows), Q_(Q) {}

  struct Scratch {
    std::vector<double> query;
    T const* row[kPanelRows] = {};
  };

  void open(std::size_t from, std::size_t count, Scratch& scratch) const {
    scratch.query.assign(kTile * stride_, 0.0);
    for (std::size_t q = 0; q < count; ++q)
      Q_.load(from + q, 1, 1.0, scratch.query.data() + q * stride_);
  }

  // Keys of one query opened and the first `count` rows of the scratch.
  void of_rows(std::size_t query, std::size_t count, Scratch const& scratch, double* key) const {
    keys_(scratch.query.data() + query * stride_, stride_, 1, scratch.row, count, X_.cols, key);
  }

  // Keys of `count` queries from the `first` of those opened at `from`.
  void panel(std::size_t panel, std::size_t, std::size_t first, std::size_t count, Scratch& scratch,
             double* key) const {
    auto const rows = rows_.row.subspan(panel * kPanelRows, kPanelRows);
    std::size_t used = 0;  // what fills a class up comes last
    for (; used < kPanelRows && rows[used] >= 0; ++used)
      scratch.row[used] = X_.data + static_cast<std::size_t>(rows[used]) * X_.stride;
    keys_(scratch.query.data() + first * stride_, stride_, count, scratch.row, used, X_.cols, key);
    for (std::size_t q = 0; q < count; ++q)
      std::fill(key + q * kPanelRows + used, key + (q + 1) * kPanelRows, kFar);
  }

 private:
  View<T const> X_;
  KernelSumRows const& rows_;
  AnyRows Q_;
  KernelSumKeys<T> keys_ = kernel_of<T>(LOOKALIKE_CHOOSE(kernel_sum_kernels));
  std::size_t stride_ = (X_.cols + kLanes - 1) / kLanes * kLanes;
};

// Keys of codes: |a - b|^2 = |a|^2 + |b|^2 - 2 a b, every term a whole number.
class CodeKeys {
 public:
  CodeKeys(KernelSumCodes const& codes, View<std::int8_t const> Q) : codes_(codes), Q_(Q) {}

  struct Scratch {
    double own[kTile] = {};
    std::int32_t dot[kQueriesTogether][kPanelRows] = {};
  };

  void open(std::size_t from, std::size_t count, Scratch& scratch) const {
    for (std::size_t q = 0; q < count; ++q) {
      std::int64_t norm = 0, sum = 0;
      for (std::int8_t const code : Q_[from + q]) norm += code * code, sum += code;
      scratch.own[q] = static_cast<double>(norm + 2 * kCodeShift * sum);
    }
  }

  void panel(std::size_t panel, std::size_t from, std::size_t first, std::size_t count,
             Scratch& scratch, double* key) const {
    std::uint8_t const* const code = codes_.code.data() + panel * kPanelRows * codes_.width;
    double const* const norm = codes_.norm.data() + panel * kPanelRows;
    for (std::size_t end = first + count; first < end; first += kQueriesTogether) {
      std::size_t const some = std::min(kQueriesTogether, end - first);
      std::int8_t const* query_code[kQueriesTogether];
      for (std::size_t q = 0; q < some; ++q) query_code[q] = Q_[from + first + q].data();
      panels_.dots(code, codes_.width, query_code, some, scratch.dot);
      for (std::size_t q = 0; q < some; ++q, key += kPanelRows)
        kernels_.of_codes(scratch.dot[q], norm, scratch.own[first + q], codes_.unit, key);
    }
  }

 private:
  KernelSumCodes const& codes_;
  View<std::int8_t const> Q_;
  PanelKernels const& panels_ = LOOKALIKE_CHOOSE(panel_kernels);
  KernelSumKernels const& kernels_ = LOOKALIKE_CHOOSE(kernel_sum_kernels);
};

// Keys of differences of the rows whose codes are near enough; the others are infinitely far.
template <class T>
class FilteredKeys {
 public:
  FilteredKeys(View<T const> X, KernelSumCodes const& codes, KernelSumFilter const& filter,
               KernelSumRows const& rows, AnyRows Q, View<std::int8_t const> query_code)
      : X_(X), direct_(X, rows, Q), coded_(codes, query_code), filter_(filter), rows_(rows) {}

  struct Scratch {
    typename DirectKeys<T>::Scratch direct;
    CodeKeys::Scratch coded;
    double key[kPanelRows] = {};
  };

  void open(std::size_t from, std::size_t count, Scratch& scratch) const {
    direct_.open(from, count, scratch.direct);
    coded_.open(from, count, scratch.coded);
  }

  void panel(std::size_t panel, std::size_t from, std::size_t first, std::size_t count,
             Scratch& scratch, double* key) const {
    coded_.panel(panel, from, first, count, scratch.coded, key);
    double const* const off = filter_.off.data() + panel * kPanelRows;
    std::int64_t const* const rows = rows_.row.data() + panel * kPanelRows;
    for (std::size_t q = first; q < first + count; ++q, key += kPanelRows) {
      std::uint64_t const near = kernels_.near(key, off, filter_.reach[from + q]);
      std::fill(key, key + kPanelRows, kFar);
      std::size_t used = 0;
      for (std::uint64_t bits = near; bits != 0; bits &= bits - 1) {
        std::int64_t const row = rows[std::countr_zero(bits)];
        if (row >= 0)
          scratch.direct.row[used++] = X_.data + static_cast<std::size_t>(row) * X_.stride;
      }
      direct_.of_rows(q, used, scratch.direct, scratch.key);
      used = 0;
      for (std::uint64_t bits = near; bits != 0; bits &= bits - 1)
        if (auto const i = std::countr_zero(bits); rows[i] >= 0) key[i] = scratch.key[used++];
    }
  }

 private:
  View<T const> X_;
  DirectKeys<T> direct_;
  CodeKeys coded_;
  KernelSumFilter const& filter_;
  KernelSumRows const& rows_;
  KernelSumKernels const& kernels_ = LOOKALIKE_CHOOSE(kernel_sum_kernels);
};

// Each task owns one class of one tile of queries: no sum is ever joined from parts.
template <class Keys>
void sum_kernels(Keys const& keys, KernelSumRows const& rows, KernelSumQueries const& queries,
                 View<double> sum) {
  KernelSumKernels const& kernels = LOOKALIKE_CHOOSE(kernel_sum_kernels);
  std::size_t const total = sum.rows, classes = rows.first_panel.size() - 1;
  std::size_t const widths = queries.inverse.size(), tiles = (total + kTile - 1) / kTile;
  parallel_for(tiles * classes, queries.threads, [&](std::size_t task, std::size_t) {
    std::size_t const from = task / classes * kTile, label = task % classes;
    std::size_t const count = std::min(kTile, total - from);
    typename Keys::Scratch scratch;
    std::vector<double> key(kGroup * kPanelRows), lanes(count * widths * kLanes, 0.0);
    keys.open(from, count, scratch);
    auto const end = static_cast<std::size_t>(rows.first_panel[label + 1]);
    for (auto panel = static_cast<std::size_t>(rows.first_panel[label]); panel < end; ++panel) {
      checkpoint();
      for (std::size_t first = 0; first < count; first += kGroup) {
        std::size_t const some = std::min(kGroup, count - first);
        keys.panel(panel, from, first, some, scratch, key.data());
        for (std::size_t q = first; q < first + some; ++q) {
          double* const own = key.data() + (q - first) * kPanelRows;
          std::int64_t const out = queries.exclude[from + q];
          if (out >= 0 && static_cast<std::size_t>(out) / kPanelRows == panel)
            own[static_cast<std::size_t>(out) % kPanelRows] = kFar;
          kernels.add(own, rows.weight.data() + panel * kPanelRows, queries.nearest[from + q],
                      queries.inverse.data(), widths, lanes.data() + q * widths * kLanes);
        }
      }
    }
    for (std::size_t q = 0; q < count; ++q)
      for (std::size_t b = 0; b < widths; ++b)
        sum[from + q][b * classes + label] = fold_lanes(lanes.data() + (q * widths + b) * kLanes);
  });
}

}  // namespace

void kernel_sums(AnyRows X, KernelSumRows const& rows, AnyRows Q, KernelSumQueries const& queries,
                 View<double> sum) {
  X.visit([&]<class T>(View<T const> values) {
    sum_kernels(DirectKeys<T>(values, rows, Q), rows, queries, sum);
  });
}

void kernel_sums(KernelSumCodes const& codes, KernelSumRows const& rows, View<std::int8_t const> Q,
                 KernelSumQueries const& queries, View<double> sum) {
  sum_kernels(CodeKeys(codes, Q), rows, queries, sum);
}

void kernel_sums(AnyRows X, KernelSumCodes const& codes, KernelSumFilter const& filter,
                 KernelSumRows const& rows, AnyRows Q, View<std::int8_t const> query_code,
                 KernelSumQueries const& queries, View<double> sum) {
  X.visit([&]<class T>(View<T const> values) {
    sum_kernels(FilteredKeys<T>(values, codes, filter, rows, Q, query_code), rows, queries, sum);
  });
}

}  // namespace lookalike
