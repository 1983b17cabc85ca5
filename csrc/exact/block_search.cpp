#include "exact/block_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "core/parallel.hpp"
#include "distance/distance.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kTile = 192;            // queries of one task
constexpr std::size_t kChunkBytes = 1 << 17;  // of codes that stay near while queries pass
constexpr std::size_t kFewest = 256;          // candidates that are kept without a look
constexpr double kDown = 1.0 - 0x1p-40, kUp = 1.0 + 0x1p-40;  // more than roundings of float64

}  // namespace

struct BlockSearch::Block {
  PackedCodes const& codes;
  std::int64_t first;
  std::span<std::uint8_t const> allowed;
  std::size_t most;
  std::vector<std::int32_t> start;  // (panels * 64,) -floor(norm / 2)
  std::vector<std::uint32_t> row;   // of each position

  Block(PackedCodes const& packed, std::int64_t from, std::span<std::uint8_t const> may,
        std::size_t at_most)
      : codes(packed),
        first(from),
        allowed(may),
        most(at_most),
        start(panels_of(packed.rows) * kPanelRows),
        row(packed.rows) {
    std::vector<bool> poor(packed.rows, false);
    for (std::uint32_t const one : packed.poor) poor[one] = true;
    std::size_t position = 0;
    for (std::uint32_t i = 0; i < packed.rows; ++i)
      if (!poor[i]) row[position++] = i;
    std::ranges::copy(packed.poor, row.begin() + static_cast<std::ptrdiff_t>(position));
  }

  void find_norms(std::size_t panel, std::size_t width) {
    std::uint8_t const* code = codes.code.data() + panel * kPanelRows * width;
    std::int32_t norm[kPanelRows] = {};
    for (std::size_t four = 0; four < width / 4; ++four, code += kPanelRows * 4)
      for (std::size_t i = 0; i < kPanelRows; ++i)
        for (std::size_t j = 0; j < 4; ++j) {
          std::int32_t const value = code[i * 4 + j] - kCodeShift;
          norm[i] += value * value;
        }
    for (std::size_t i = 0; i < kPanelRows; ++i) {
      std::size_t const position = panel * kPanelRows + i;
      start[position] = position < codes.rows ? -(norm[i] / 2) : kNoRow;
    }
  }
};

struct BlockSearch::Scratch {
  std::vector<PanelHit> hits;
  std::vector<std::uint8_t> code;
};

BlockSearch::BlockSearch(Embedding const& embedding, Queries const& queries,
                         std::span<double const> limit, std::size_t k)
    : embedding_(embedding),
      threads_(queries.threads == 0 ? default_threads() : queries.threads),
      k_(k),
      error_(key_error(embedding.cols())),
      to_image_(embedding.scale * embedding.stretch()),
      from_image_(std::sqrt(1.0 + embedding.defect) * kUp / embedding.scale),
      // Larger by more than the float32 roundings of PanelKernels::filter.
      inverse_step_(static_cast<float>((1.0 + 0x1p-19) / embedding.first_step())) {
  std::size_t const count = queries.rows.rows();
  std::size_t const rounds = (count + threads_ * kTile - 1) / (threads_ * kTile);
  tile_ = std::max<std::size_t>(1, (count + threads_ * rounds - 1) / (threads_ * rounds));
  std::size_t const tiles = (count + tile_ - 1) / tile_;
  parts_ = tiles >= 2 * threads_ || threads_ == 1 ? 1 : (2 * threads_ + tiles - 1) / tiles;
  load(queries);
  slots_.resize(parts_ * count * k);
  state_.resize(parts_ * count);
  for (std::size_t i = 0; i < state_.size(); ++i) {
    state_[i].upper = TopK(std::span(slots_).subspan(i * k, k));
    state_[i].limit = limit[i % count];
    state_[i].prune_at = kFewest;
    set_reach(state_[i]);
  }
}

void BlockSearch::load(Queries const& queries) {
  std::size_t const count = queries.rows.rows(), cols = embedding_.cols();
  std::size_t const width = embedding_.first_width(), image = image_width(embedding_);
  query_.resize(count);
  code_.resize(count * width);
  image_.resize(count * image);
  struct Workspace {
    std::vector<double> value;
    std::vector<std::int8_t> wide;
    EmbedScratch embed;
  };
  std::vector<Workspace> workspace(threads_);
  auto some = [&](std::size_t at, std::size_t end, std::size_t worker) {
    std::size_t const rows = end - at;
    Workspace& space = workspace[worker];
    space.value.resize(kEmbedRows * cols);
    space.wide.resize(kEmbedRows * embedding_.wide_width());
    queries.rows.load(at, rows, queries.scale, space.value.data());
    Code first[kEmbedRows], wide[kEmbedRows];
    ImageBounds bounds[kEmbedRows];
    embed(embedding_, space.value.data(), rows, space.embed, code_.data() + at * width, first,
          space.wide.data(), wide);
    embed_images(embedding_, space.value.data(), rows, space.embed, image_.data() + at * image,
                 bounds);
    for (std::size_t i = 0; i < rows; ++i)
      query_[at + i] = {code_.data() + (at + i) * width, image_.data() + (at + i) * image, first[i],
                        bounds[i], queries.exclude.empty() ? -1 : queries.exclude[at + i]};
  };
  parallel_blocks(count, kEmbedRows, threads_, some);
}

std::vector<std::int64_t> BlockSearch::scan(PackedCodes const& codes, std::int64_t first,
                                            std::span<std::uint8_t const> allowed,
                                            std::size_t most) {
  Block block(codes, first, allowed, most);
  std::size_t const panels = panels_of(codes.rows), count = query_.size(), batch = 16;
  std::size_t const width = embedding_.first_width();
  parallel_blocks(panels, batch, threads_, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t panel = begin; panel < end; ++panel) block.find_norms(panel, width);
  });
  std::vector<Scratch> scratch(threads_);
  std::size_t const tiles = (count + tile_ - 1) / tile_;
  parallel_for(tiles * parts_, threads_, [&](std::size_t task, std::size_t worker) {
    std::size_t const at = task / parts_ * tile_;
    scan_part(block, at, std::min(tile_, count - at), task % parts_, scratch[worker]);
  });
  std::vector<std::int64_t> crowded;
  for (std::size_t q = 0; q < count; ++q) {
    double limit = state_[q].limit;
    bool full = false;
    for (std::size_t i = q; i < state_.size(); i += count) {
      settle(state_[i], first, most);
      full = full || state_[i].crowded;
      limit = std::min({limit, state_[i].limit, state_[i].upper.bound()});
    }
    if (full) crowded.push_back(static_cast<std::int64_t>(q));
    for (std::size_t i = q; i < state_.size(); i += count) {
      state_[i].crowded = full;
      settle(state_[i], first, most);
      state_[i].crowded = false;
      state_[i].limit = limit;
      set_reach(state_[i]);
    }
  }
  return crowded;
}

void BlockSearch::scan_part(Block const& block, std::size_t from_query, std::size_t queries,
                            std::size_t part, Scratch& scratch) {
  std::size_t const panels = panels_of(block.codes.rows);
  std::size_t const from = panels * part / parts_, to = panels * (part + 1) / parts_;
  std::size_t const chunk =
      std::clamp<std::size_t>(kChunkBytes / (kPanelRows * embedding_.first_width()), 1, 64);
  scratch.hits.resize(chunk * kQueriesTogether + 1);
  scratch.code.assign(image_head(embedding_), 0);
  scratch.code.resize(image_width(embedding_), kCodeShift);  // of directions that are left out
  for (std::size_t panel = from; panel < to; panel += chunk) {
    checkpoint();
    for (std::size_t q = 0; q < queries; q += kQueriesTogether)
      filter_chunk(block, from_query + q, std::min(kQueriesTogether, queries - q), part, panel,
                   std::min(chunk, to - panel), scratch);
  }
}

void BlockSearch::filter_chunk(Block const& block, std::size_t query, std::size_t queries,
                               std::size_t part, std::size_t panel, std::size_t panels,
                               Scratch& scratch) {
  std::size_t const width = embedding_.first_width();
  State* const state = state_.data() + part * query_.size() + query;
  PanelQuery wanted[kQueriesTogether];
  for (std::size_t q = 0; q < queries; ++q) {
    Code const& code = query_[query + q].first;
    double const reach = std::max(state[q].reach, 0.0) + static_cast<double>(code.margin);
    wanted[q] = {query_[query + q].code, code.norm / 2 + kCodeShift * code.sum,
                 static_cast<float>(reach * (1.0 + 0x1p-22))};
  }
  std::size_t const hits =
      panel_.filter(block.codes.code.data() + panel * kPanelRows * width,
                    block.start.data() + panel * kPanelRows, block.codes.margin.data() + panel,
                    nullptr, panels, width, inverse_step_, wanted, queries, scratch.hits.data());
  for (std::size_t h = 0; h < hits; ++h) {
    PanelHit const& hit = scratch.hits[h];
    for (std::uint64_t rows = hit.rows; rows != 0; rows &= rows - 1) {
      std::size_t const position =
          (panel + hit.panel) * kPanelRows + static_cast<std::size_t>(std::countr_zero(rows));
      if (position >= block.codes.rows) break;
      examine(block, query_[query + hit.query], state[hit.query], position, scratch);
    }
  }
}

// Between which image distances a row lies; the upper one counts what is left over twice.
BlockSearch::Bounds BlockSearch::bounds_of(PackedCodes const& codes, Query const& query,
                                           std::size_t position, Scratch& scratch) const {
  std::size_t const panel = position / kPanelRows;
  std::size_t const width = embedding_.first_width(), head = image_head(embedding_);
  std::uint8_t* const code = scratch.code.data();
  std::uint8_t const* const first =
      codes.code.data() + panel * kPanelRows * width + position % kPanelRows * 4;
  for (std::size_t j = 0; j < width; j += 4) std::memcpy(code + j, first + j * kPanelRows, 4);
  std::size_t const tail = codes.extra > 1 ? codes.extra - 1 : 0;
  double rest = 0.0, margin = query.bounds.error;
  if (codes.extra > 0) {
    std::uint8_t const* const more = codes.more.data() + position * codes.extra;
    rest = embedding_.rest[1] + embedding_.first_step() * (more[0] - kCodeShift);
    margin += static_cast<double>(codes.wide_margin[panel]) * 0x1p-8 * (codes.share[position] + 1);
    if (tail > 0) std::memcpy(code + head, more + 1, tail);
  } else {
    if (!embedding_.full())
      rest = embedding_.rest[0] + embedding_.first_step() * (code[kBlock - 1] - kCodeShift);
    margin += static_cast<double>(codes.margin[panel]);
  }
  // Columns that are not directions count nothing: those of the image are 0.
  std::size_t const used = embedding_.full() ? embedding_.cols() : kBlock - 1;
  std::fill(code + used, code + width, std::uint8_t{0});
  std::size_t const more_width = (tail + kImagePad - 1) / kImagePad * kImagePad;
  double gap2 = static_cast<double>(panel_.gap2(query.image, code, head)) *
                embedding_.first_step() * embedding_.first_step();
  if (tail > 0)
    gap2 += static_cast<double>(panel_.gap2(query.image + head, code + head, more_width)) *
            embedding_.step * embedding_.step;
  // Sums of float32: at most width / 16 + 4 additions, and three roundings of each term.
  double const doubt = (static_cast<double>(head + more_width) / 16.0 + 16.0) * 0x1p-24;
  double const apart = query.bounds.rest - rest, along = query.bounds.rest + rest;
  return {std::sqrt(gap2 * (1.0 - doubt) + apart * apart) * kDown - margin,
          std::sqrt(gap2 * (1.0 + doubt) + along * along) * kUp + margin};
}

void BlockSearch::examine(Block const& block, Query const& query, State& state,
                          std::size_t position, Scratch& scratch) const {
  std::size_t const local = block.row[position];
  std::int64_t const row = block.first + static_cast<std::int64_t>(local);
  if (state.crowded || row == query.exclude || (!block.allowed.empty() && !block.allowed[local]))
    return;
  Bounds const bounds = bounds_of(block.codes, query, position, scratch);
  if (bounds.low > state.reach) return;
  state.waiting.push_back({bounds.low, row});
  double const high = bounds.high * from_image_;
  double const key = high * high * (1.0 + error_.relative) * kUp + error_.absolute;
  if (key < state.upper.bound()) {
    state.upper.offer({key, row});
    set_reach(state);
  }
  if (state.waiting.size() < state.prune_at) return;
  prune(state);
  auto const here = std::ranges::count_if(
      state.waiting, [&](Neighbor const& one) { return one.row >= block.first; });
  state.crowded = static_cast<std::size_t>(here) > block.most;
  state.prune_at = std::max(kFewest, 2 * state.waiting.size());
}

// At the end of a block: only what is possible stays, and of the block nothing where it is crowded.
void BlockSearch::settle(State& state, std::int64_t first, std::size_t most) const {
  prune(state);
  auto const here = [&](Neighbor one) { return one.row >= first; };
  std::size_t const count = static_cast<std::size_t>(std::ranges::count_if(state.waiting, here));
  state.crowded = state.crowded || count > most;
  if (state.crowded) std::erase_if(state.waiting, here);
  state.prune_at = std::max(kFewest, 2 * state.waiting.size());
}

void BlockSearch::set_reach(State& state) const {
  double const limit = std::min(state.limit, state.upper.bound());
  state.reach = limit < 0.0 ? -1.0 : largest_distance(limit, error_) * to_image_;
}

void BlockSearch::prune(State& state) const {
  std::erase_if(state.waiting, [&](Neighbor one) { return one.key > state.reach; });
}

void BlockSearch::lower(std::span<double const> limit) {
  for (std::size_t i = 0; i < state_.size(); ++i) {
    state_[i].limit = std::min(state_[i].limit, limit[i % query_.size()]);
    set_reach(state_[i]);
  }
}

std::vector<double> BlockSearch::limits() const {
  std::vector<double> lowest(query_.size(), std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < state_.size(); ++i) {
    double& limit = lowest[i % query_.size()];
    limit = std::min({limit, state_[i].limit, state_[i].upper.bound()});
  }
  return lowest;
}

std::size_t BlockSearch::size() const {
  std::size_t total = 0;
  for (State const& state : state_) total += state.waiting.size();
  return total;
}

CandidatePairs BlockSearch::take() {
  CandidatePairs pairs;
  for (std::size_t q = 0; q < query_.size(); ++q)
    for (std::size_t i = q; i < state_.size(); i += query_.size()) {
      prune(state_[i]);
      for (Neighbor const& one : state_[i].waiting) {
        pairs.query.push_back(static_cast<std::int64_t>(q));
        pairs.row.push_back(one.row);
        pairs.low.push_back(std::max(one.key / to_image_ * (1.0 - 0x1p-50), 0.0));
      }
      state_[i].waiting = {};
    }
  return pairs;
}

}  // namespace lookalike
