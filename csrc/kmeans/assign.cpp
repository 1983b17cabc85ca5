#include "kmeans/assign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "distance/distance.hpp"
#include "exact/embed.hpp"
#include "kmeans/assign_kernels.hpp"
#include "kmeans/center_table.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTileRows = 4 * kEmbedRows;
constexpr double kHalfUlp32 = 0x1p-24;
constexpr double kFloats = 0x1p-20;  // more than all float32 roundings between scores and limits
constexpr double kLargestNorm = 0x1p40;

// Scratch of one thread: scores of a few rows, then their centers.
class Worker {
 public:
  Worker(RowReader const& rows, Int16Codes const& codes, CenterTable const& table,
         View<double const> centers, double scale)
      : rows_(rows),
        codes_(codes),
        table_(table),
        centers_(centers),
        scale_(scale),
        error_(key_error(rows.cols())),
        row_(rows.cols()),
        score_(kEmbedRows * table.padded),
        least_(kEmbedRows * minima(table.padded)),
        contenders_(table.padded),
        near_(table.count),
        key_(table.count) {
    bool const floats = codes.width == 0 && !rows.is_sparse();
    value_.resize(floats ? kEmbedRows * rows.cols() : 0);
    centered_.resize(value_.size());
    error_.absolute *= scale * scale;
  }

  // Calls settle(row, nearest center) for rows [from, from + count), count <= kEmbedRows.
  template <class Settle>
  void assign(std::size_t from, std::size_t count, Settle&& settle) {
    if (!table_.usable) {
      for (std::size_t i = 0; i < count; ++i) settle(from + i, nearest_of(from + i, all_centers()));
    } else if (codes_.width > 0) {
      score_codes(from, count, settle);
    } else if (rows_.is_sparse()) {
      for (std::size_t i = 0; i < count; ++i) settle(from + i, score_sparse(from + i));
    } else {
      score_floats(from, count, settle);
    }
  }

  AssignEffort effort;

 private:
  template <class Settle>
  void score_codes(std::size_t from, std::size_t count, Settle&& settle) {
    AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
    for (std::size_t at = 0; at < count; at += kScoredRows) {
      std::size_t const some = std::min(kScoredRows, count - at);
      kernels.score(codes_.code.data() + (from + at) * codes_.width, some, table_.code.data(),
                    codes_.width, table_.padded, table_.unit, table_.height.data(), score_.data(),
                    least_.data());
      for (std::size_t i = 0; i < some; ++i) {
        Int16Margin const& margin = codes_.margin[from + at + i];
        double const norm = static_cast<double>(margin.norm) + margin.spread;
        double const slack = 2.0 * margin.spread * table_.image + 2.0 * norm * table_.lost;
        settle(from + at + i, decide(from + at + i, i, slack, norm, margin.rest));
      }
    }
  }

  template <class Settle>
  void score_floats(std::size_t from, std::size_t count, Settle&& settle) {
    AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
    EmbedKernels const& embed = LOOKALIKE_CHOOSE(embed_kernels);
    std::size_t const cols = rows_.cols();
    rows_.load(from, count, value_.data());
    double norm[kEmbedRows];
    for (std::size_t i = 0; i < count; ++i) {
      double* const v = value_.data() + i * cols;
      norm[i] = std::sqrt(embed.center(v, table_.middle.data(), scale_, cols)) * kMarginUp;
      bool const small = norm[i] < kLargestNorm;
      for (std::size_t j = 0; j < cols; ++j)
        centered_[i * cols + j] = small ? static_cast<float>(v[j]) : 0.0f;
    }
    for (std::size_t block = 0; block < table_.padded / kBlock; ++block)
      embed.project(centered_.data(), count, cols, table_.padded,
                    table_.columns.data() + block * cols * kBlock, score_.data() + block * kBlock);
    double const roundings = static_cast<double>(cols / kSumTerms + kSumTerms + 6);
    for (std::size_t i = 0; i < count; ++i) {
      kernels.below(table_.height.data(), table_.padded, score_.data() + i * table_.padded,
                    least_.data() + i * minima(table_.padded));
      settle(from + i, decide(from + i, i, float_slack(roundings, norm[i]), norm[i], 0.0f));
    }
  }

  std::int32_t score_sparse(std::size_t row) {
    AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
    SparseRows const& sparse = rows_.sparse();
    std::fill_n(score_.data(), table_.padded, 0.0f);
    auto const from = static_cast<std::size_t>(sparse.start[row]);
    auto const to = static_cast<std::size_t>(sparse.start[row + 1]);
    double norm2 = 0.0;
    for (std::size_t at = from; at < to; ++at) {
      double const x = sparse.value[at] * scale_;
      norm2 += x * x;
    }
    double const norm = std::sqrt(norm2) * kMarginUp;
    for (std::size_t at = from; at < to && norm < kLargestNorm; ++at)
      kernels.add_column(
          static_cast<float>(sparse.value[at] * scale_),
          table_.columns.data() + static_cast<std::size_t>(sparse.column[at]) * table_.padded,
          table_.padded, score_.data());
    kernels.below(table_.height.data(), table_.padded, score_.data(), least_.data());
    return decide(row, 0, float_slack(static_cast<double>(to - from + 6), norm), norm, 0.0f);
  }

  // What two sums of float32 products may be off together.
  double float_slack(double roundings, double norm) const {
    return 2.1 * roundings * kHalfUlp32 * norm * table_.longest;
  }

  std::int32_t decide(std::size_t row, std::size_t which, double slack, double norm, float rest) {
    AssignKernels const& kernels = LOOKALIKE_CHOOSE(assign_kernels);
    double const longest = table_.longest, reach2 = norm * norm + longest * longest;
    slack += kFloats * (longest * longest + norm * longest);
    slack += 2.1 * error_.relative * reach2 + 2.0 * error_.absolute + kMarginTiny;
    if (!(norm < kLargestNorm && slack < kLargestNorm * kLargestNorm))
      return nearest_of(row, all_centers());
    float const* const score = score_.data() + which * table_.padded;
    float const* const least = least_.data() + which * minima(table_.padded);
    std::size_t const best = kernels.best(score, least, table_.padded);
    float const limit = score[best] + round_up(slack * kMarginUp);
    bool const whole = table_.residual_distance.empty();
    std::size_t const count =
        kernels.contenders(score, least, table_.padded, limit, rest,
                           whole ? nullptr : table_.residual_distance.data() + best * table_.padded,
                           whole ? 0.0f : table_.farthest[best], contenders_.data());
    if (count == 1) return contenders_[0];
    return nearest_of(row, std::span(contenders_).first(count));
  }

  std::span<std::int32_t const> all_centers() {
    for (std::size_t c = 0; c < table_.count; ++c) contenders_[c] = static_cast<std::int32_t>(c);
    return std::span(contenders_).first(table_.count);
  }

  // The contender nearest in float64; they come in rising order, so the lowest of equals wins.
  std::int32_t nearest_of(std::size_t row, std::span<std::int32_t const> contenders) {
    rows_.load(row, 1, row_.data());
    for (std::size_t i = 0; i < contenders.size(); ++i)
      near_[i] = centers_[static_cast<std::size_t>(contenders[i])].data();
    distance_kernel<double>()(row_.data(), near_.data(), contenders.size(), rows_.cols(),
                              key_.data());
    ++effort.ambiguous;
    effort.distances += static_cast<std::int64_t>(contenders.size());
    auto const least = std::min_element(
        key_.begin(), key_.begin() + static_cast<std::ptrdiff_t>(contenders.size()));
    return contenders[static_cast<std::size_t>(least - key_.begin())];
  }

  RowReader const& rows_;
  Int16Codes const& codes_;
  CenterTable const& table_;
  View<double const> centers_;
  double scale_;
  KeyError error_;
  std::vector<double> row_, value_;
  std::vector<float> centered_, score_, least_;
  std::vector<std::int32_t> contenders_;
  std::vector<double const*> near_;
  std::vector<double> key_;
};

}  // namespace

Assigner::Assigner(RowReader rows, double scale, std::size_t threads)
    : rows_(rows), scale_(scale), threads_(threads == 0 ? default_threads() : threads) {}

void Assigner::code(Int16Map const& map) { codes_ = int16_codes(rows_, map, threads_); }

AssignEffort Assigner::assign(View<double const> centers, std::span<std::int32_t> label,
                              std::vector<Reassignment>& moves) const {
  CenterTable const table = codes_.width > 0
                                ? int16_center_table(centers, codes_, threads_)
                                : float_center_table(centers, scale_, rows_.is_sparse());
  double const scale = codes_.width > 0 ? codes_.scale : scale_;
  std::size_t const rows = rows_.rows(), tiles = (rows + kTileRows - 1) / kTileRows;
  std::size_t const threads = std::max<std::size_t>(1, std::min(threads_, tiles));
  std::vector<Worker> workers;
  for (std::size_t i = 0; i < threads; ++i)
    workers.emplace_back(rows_, codes_, table, centers, scale);
  std::vector<std::vector<Reassignment>> moved(threads);
  parallel_for(tiles, threads, [&](std::size_t tile, std::size_t worker) {
    std::size_t const end = std::min(rows, (tile + 1) * kTileRows);
    for (std::size_t from = tile * kTileRows; from < end; from += kEmbedRows) {
      checkpoint();
      workers[worker].assign(
          from, std::min(kEmbedRows, end - from), [&](std::size_t row, std::int32_t nearest) {
            if (label[row] == nearest) return;
            moved[worker].push_back({static_cast<std::int64_t>(row), label[row], nearest});
            label[row] = nearest;
          });
    }
  });
  AssignEffort effort;
  for (std::size_t i = 0; i < threads; ++i) {
    moves.insert(moves.end(), moved[i].begin(), moved[i].end());
    effort.ambiguous += workers[i].effort.ambiguous;
    effort.distances += workers[i].effort.distances;
  }
  return effort;
}

void Assigner::keys(View<double const> centers, std::span<std::int32_t const> label,
                    std::span<double> key) const {
  std::vector<std::vector<double>> row(threads_, std::vector<double>(rows_.cols()));
  std::size_t const tiles = (rows_.rows() + kTileRows - 1) / kTileRows;
  parallel_for(tiles, threads_, [&](std::size_t tile, std::size_t worker) {
    for (std::size_t i = tile * kTileRows; i < std::min(rows_.rows(), (tile + 1) * kTileRows);
         ++i) {
      rows_.load(i, 1, row[worker].data());
      double const* const center = centers[static_cast<std::size_t>(label[i])].data();
      distance_kernel<double>()(row[worker].data(), &center, 1, rows_.cols(), &key[i]);
    }
  });
}

}  // namespace lookalike
