#include "exact/codes.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr float kPoor = 2.0f;                       // a margin this many times the median is poor
constexpr std::uint32_t kShiftOfFour = 0x80808080;  // flips the signs: adds kCodeShift to each byte
static_assert(kCodeShift == 0x80);

void put_in_panel(std::int8_t const* code, std::size_t width, std::size_t position,
                  std::span<std::uint8_t> panels) {
  std::uint8_t* const panel = panels.data() + position / kPanelRows * kPanelRows * width;
  for (std::size_t j = 0; j < width; j += 4) {  // widths are multiples of 4
    std::uint32_t four;
    std::memcpy(&four, code + j, sizeof four);
    four ^= kShiftOfFour;
    std::memcpy(panel + panel_byte(position % kPanelRows, j), &four, sizeof four);
  }
}

class Builder {
 public:
  Builder(AnyRows X, Embedding const& embedding, CodeArrays<Writable> codes)
      : X_(X),
        embedding_(embedding),
        codes_(codes),
        width_(embedding.first_width()),
        wide_width_(embedding.wide_width()),
        first_(X.rows() * width_),
        wide_(X.rows() * wide_width_),
        first_code_(X.rows()),
        wide_code_(wide_width_ > 0 ? X.rows() : 0),
        group_(X.rows()) {}

  void build(std::span<std::int64_t const> centers, std::size_t threads) {
    embed_rows(threads);
    form_groups(centers);
    std::size_t const batch = 256, rows = X_.rows();
    parallel_blocks(rows, batch, threads, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; i += kQueriesTogether)
        find_groups(i, std::min(kQueriesTogether, end - i));
    });
    arrange(centers.size());
    fill_panels(threads);
  }

 private:
  void embed_rows(std::size_t threads) {
    struct Scratch {
      std::vector<double> rows;
      EmbedScratch embed;
    };
    std::size_t const rows = X_.rows(), batch = kEmbedRows;
    std::vector<Scratch> scratch(threads);
    parallel_blocks(rows, batch, threads,
                    [&](std::size_t from, std::size_t to, std::size_t worker) {
                      std::size_t const count = to - from;
                      scratch[worker].rows.resize(batch * X_.cols());
                      X_.load(from, count, 1.0, scratch[worker].rows.data());
                      embed(embedding_, scratch[worker].rows.data(), count, scratch[worker].embed,
                            first_.data() + from * width_, first_code_.data() + from,
                            wide_.data() + from * wide_width_,
                            wide_width_ > 0 ? wide_code_.data() + from : nullptr);
                    });
  }

  void form_groups(std::span<std::int64_t const> centers) {
    std::ranges::fill(codes_.group_code, std::uint8_t{kCodeShift});
    std::ranges::fill(codes_.group_start, kNoRow);
    for (std::size_t group = 0; group < centers.size(); ++group) {
      auto const row = static_cast<std::size_t>(centers[group]);
      put_in_panel(first_.data() + row * width_, width_, group, codes_.group_code);
      codes_.group_start[group] = -(first_code_[row].norm / 2);
    }
  }

  // The nearest groups of rows [first, first + count); places beyond the groups have no row.
  void find_groups(std::size_t first, std::size_t count) {
    PanelKernels const& kernels = LOOKALIKE_CHOOSE(panel_kernels);
    std::int8_t const* code[kQueriesTogether];
    for (std::size_t i = 0; i < count; ++i) code[i] = first_.data() + (first + i) * width_;
    kernels.nearest(codes_.group_code.data(), codes_.group_start.data(),
                    codes_.group_start.size() / kPanelRows, width_, code, count,
                    group_.data() + first);
  }

  // Counting sort by group, in order of rows within one; then the rows with poor codes, best first.
  void arrange(std::size_t groups) {
    std::vector<float> margins(X_.rows());
    std::ranges::transform(first_code_, margins.begin(), &Code::margin);
    auto const middle = margins.begin() + static_cast<std::ptrdiff_t>(margins.size() / 2);
    std::nth_element(margins.begin(), middle, margins.end());
    float const most = kPoor * *middle;
    std::vector<std::int64_t> poor;
    std::ranges::fill(codes_.group_first, 0);
    for (std::size_t i = 0; i < group_.size(); ++i) {
      if (first_code_[i].margin > most) {
        poor.push_back(static_cast<std::int64_t>(i));
        group_[i] = groups;
      } else {
        ++codes_.group_first[group_[i] + 1];
      }
    }
    std::partial_sum(codes_.group_first.begin(), codes_.group_first.end(),
                     codes_.group_first.begin());
    std::vector<std::int64_t> next(codes_.group_first.begin(), codes_.group_first.end());
    for (std::size_t i = 0; i < group_.size(); ++i)
      if (group_[i] < groups)
        codes_.row[static_cast<std::size_t>(next[group_[i]]++)] = static_cast<std::int64_t>(i);
    std::ranges::stable_sort(
        poor, {}, [&](std::int64_t i) { return first_code_[static_cast<std::size_t>(i)].margin; });
    std::ranges::copy(poor, codes_.row.end() - static_cast<std::ptrdiff_t>(poor.size()));
  }

  void fill_panels(std::size_t threads) {
    parallel_for(panels_of(X_.rows()), threads, [&](std::size_t panel, std::size_t) {
      float margin = 0.0f;
      for (std::size_t position = panel * kPanelRows; position < (panel + 1) * kPanelRows;
           ++position) {
        if (position >= X_.rows()) {
          codes_.start[position] = kNoRow;
          continue;
        }
        auto const row = static_cast<std::size_t>(codes_.row[position]);
        put_in_panel(first_.data() + row * width_, width_, position, codes_.code);
        codes_.start[position] = -(first_code_[row].norm / 2);
        margin = std::max(margin, first_code_[row].margin);
        if (wide_width_ > 0) put_wide(row, position);
      }
      codes_.margin[panel] = margin;
    });
  }

  void put_wide(std::size_t row, std::size_t position) {
    for (std::size_t j = 0; j < wide_width_; ++j)
      codes_.wide[position * wide_width_ + j] =
          static_cast<std::uint8_t>(wide_[row * wide_width_ + j] + kCodeShift);
    codes_.wide_norm[position] = wide_code_[row].norm;
    codes_.wide_margin[position] = wide_code_[row].margin;
  }

  AnyRows X_;
  Embedding const& embedding_;
  CodeArrays<Writable> codes_;
  std::size_t width_, wide_width_;
  std::vector<std::int8_t> first_, wide_;
  std::vector<Code> first_code_, wide_code_;
  std::vector<std::size_t> group_;
};

}  // namespace

void build_codes(AnyRows X, Embedding const& embedding, std::span<std::int64_t const> centers,
                 std::size_t threads, CodeArrays<Writable> codes) {
  Builder(X, embedding, codes).build(centers, threads == 0 ? default_threads() : threads);
}

}  // namespace lookalike
