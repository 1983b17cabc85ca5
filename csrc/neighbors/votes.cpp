#include "neighbors/votes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/bounds.hpp"
#include "core/parallel.hpp"

namespace lookalike {
namespace {

constexpr std::size_t kBlock = 128;  // queries of one task
constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::size_t place(std::int64_t number) { return static_cast<std::size_t>(number); }

void require_rows(VoteCandidates const& candidates, std::size_t rows) {
  require_places(candidates.row, rows, "a candidate is none of the rows");
  require_places(candidates.own, rows, "a query is none of the rows");
}

void gather_voters_of(VoteCandidates const& candidates, std::size_t query,
                      VoterArrays<Writable> out) {
  std::int64_t const own = candidates.own.empty() ? -1 : candidates.own[query];
  std::size_t size = 0;
  auto const offer = [&](double distance, std::int64_t row, double weight) {
    bool const barred =
        !candidates.part.empty() && candidates.part[place(row)] == candidates.part[place(own)];
    if (barred || !(weight > 0.0)) return;
    out.distance[query][size] = distance;
    out.row[query][size] = row;
    if (out.weight.rows > 0) out.weight[query][size] = weight;
    ++size;
  };
  bool copies = !candidates.copies.empty();  // whether the copies of the own row are still to come
  auto const offer_copies = [&] {
    if (copies) offer(0.0, own, candidates.copies[place(own)]);
    copies = false;
  };
  for (std::size_t j = 0; j < candidates.row.cols; ++j) {
    std::int64_t const row = candidates.row[query][j];
    double const distance = candidates.distance[query][j];
    if (distance > 0.0 || row > own) offer_copies();
    offer(distance, row, candidates.weight.empty() ? 1.0 : candidates.weight[place(row)]);
  }
  offer_copies();
  out.length[query] = static_cast<std::int64_t>(size);
  for (; size < out.row.cols; ++size) {
    out.distance[query][size] = kInfinity;
    out.row[query][size] = -1;
    if (out.weight.rows > 0) out.weight[query][size] = 0.0;
  }
}

// The votes of one query after another, with the scratch memory of one thread.
class VoteCounter {
 public:
  VoteCounter(VoterTable const& voters, VotingRules const& rules)
      : voters_(voters),
        rules_(rules),
        votes_(rules.ratio.size()),
        reach_(rules.ratio.size()),
        steps_(voters.row.cols) {}

  // The votes of neighbors up to each one, and up to which one it is counted and settled.
  void count(std::size_t query, std::int64_t truth) {
    query_ = query;
    length_ = place(voters_.length[query]);
    require_known_voters();
    sweep(truth);
    if (rules_.ties == TieRule::grow) grow();
    if (rules_.ties == TieRule::fewer) go_back();
    for (std::size_t j = 0; j < length_; ++j) votes_[code(j)] = 0.0;
  }

  void settle(View<double const> k, VoteResults const& out) const {
    std::size_t start = 0;
    double reached = 0.0, before = 0.0;
    for (std::size_t i = 0; i < k.rows; ++i) {
      double const wanted = k[i][k.cols == 1 ? 0 : query_];
      if (wanted < before) start = 0, reached = 0.0;
      before = wanted;
      while (start < length_ && reached + weight(start) < wanted) reached += weight(start++);
      write(i, start, out);
    }
  }

 private:
  void require_known_voters() const {
    require(length_ <= steps_.size(), "a query has more voters than the table is wide");
    bool fits = true;
    for (std::size_t j = 0; j < length_; ++j) {
      std::int64_t const row = voters_.row[query_][j];
      fits = fits && is_place(row, rules_.code.size()) &&
             is_place(rules_.code[place(row)], votes_.size());
    }
    require(fits, "a voter is none of the rows, or of none of the classes");
  }

  struct Step {  // up to a neighbor
    std::int64_t winner;
    double share;
    std::size_t counted, settled;  // places of neighbors; length_ where more are needed
    bool tied;
  };

  std::size_t code(std::size_t j) const {
    return place(rules_.code[place(voters_.row[query_][j])]);
  }
  double distance(std::size_t j) const { return voters_.distance[query_][j]; }
  double weight(std::size_t j) const {
    return voters_.weight.rows > 0 ? voters_.weight[query_][j] : 1.0;
  }

  // Where rows coincide with the query only they count; where none is near, all count the same.
  double weighting(std::size_t j) const {
    double const first = distance(0);
    if (rules_.weighting == VoteWeight::uniform || std::isinf(first)) return 1.0;
    return first > 0.0 ? first / distance(j) : static_cast<double>(distance(j) == 0.0);
  }

  // One class gains a vote: it may catch up, or take the lead.
  void sweep(std::int64_t truth) {
    double best = 0.0, total = 0.0, own = 0.0;
    std::size_t winner = 0, level = 0;
    for (std::size_t j = 0; j < length_; ++j) {
      std::size_t const c = code(j);
      double const gain = weighting(j) * weight(j) * rules_.ratio[c];
      if (votes_[c] == 0.0) reach_[c] = distance(j);
      double const now = votes_[c] += gain;
      if (now > best) {
        best = now, winner = c, level = 1;
      } else if (now == best && gain > 0.0) {
        winner = std::min(winner, c), ++level;
      }
      total += gain;
      if (static_cast<std::int64_t>(c) == truth) own += gain;
      bool const tied = level > 1;
      bool const chosen =
          tied && (rules_.ties == TieRule::nearest || rules_.ties == TieRule::prior);
      steps_[j] = {static_cast<std::int64_t>(chosen ? of_level(best, j) : winner),
                   total > 0.0 ? own / total : 0.0, j, j, tied};
    }
  }

  // Of the classes with `best` votes that of the nearest voter, or the likeliest.
  std::size_t of_level(double best, std::size_t last) const {
    bool const nearest = rules_.ties == TieRule::nearest;
    auto const merit = [&](std::size_t c) { return nearest ? -reach_[c] : rules_.prior[c]; };
    std::size_t leader = votes_.size();
    for (std::size_t j = 0; j <= last; ++j) {
      std::size_t const c = code(j);
      if (votes_[c] != best) continue;
      if (leader == votes_.size() || merit(c) > merit(leader) ||
          (merit(c) == merit(leader) && c < leader))
        leader = c;
    }
    return leader;
  }

  void grow() {
    std::size_t counted = length_, settled = length_;
    for (std::size_t j = length_; j-- > 0;) {
      bool const last = j + 1 == length_;
      bool const end = last ? rules_.complete : distance(j + 1) > distance(j);
      if (end) counted = j;
      if (end && (last || !steps_[j].tied)) settled = j;  // no row is left: the first class
      steps_[j].counted = counted;
      steps_[j].settled = settled;
    }
  }

  void go_back() {
    for (std::size_t j = 1; j < length_; ++j)
      if (steps_[j].tied) steps_[j].settled = steps_[j - 1].settled;
  }

  void write(std::size_t i, std::size_t start, VoteResults const& out) const {
    std::size_t const settled = start < length_ ? steps_[start].settled : length_;
    bool const known = settled < length_;
    out.winner[i][query_] = known ? steps_[settled].winner : -1;
    out.size[i][query_] = known ? static_cast<std::int64_t>(settled) + 1 : 0;
    out.tied[i][query_] = known && steps_[steps_[start].counted].tied;
    if (out.share.rows > 0) out.share[i][query_] = known ? steps_[settled].share : 0.0;
  }

  VoterTable const& voters_;
  VotingRules const& rules_;
  std::vector<double> votes_, reach_;  // of every class, reach_ where it has votes
  std::vector<Step> steps_;
  std::size_t query_ = 0, length_ = 0;
};

void require_fit(VoteCandidates const& candidates, VoterArrays<Writable> const& voters) {
  std::size_t const queries = candidates.row.rows, width = candidates.row.cols;
  bool const own = candidates.own.size() == queries;
  require(own || (candidates.part.empty() && candidates.copies.empty()),
          "parts and copies need the own row of every query");
  require(own || candidates.own.empty(), "an own row of every query is needed, or none");
  std::size_t const room = width + (candidates.copies.empty() ? 0 : 1);
  require(has_shape(candidates.distance, queries, width) && has_shape(voters.row, queries, room) &&
              has_shape(voters.distance, queries, room) && voters.length.size() == queries &&
              (voters.weight.rows == 0 || has_shape(voters.weight, queries, room)),
          "the voters have no place");
  for (std::span<std::int64_t const> const rows : {candidates.part})
    if (!rows.empty()) require_rows(candidates, rows.size());
  for (std::span<double const> const rows : {candidates.weight, candidates.copies})
    if (!rows.empty()) require_rows(candidates, rows.size());
}

void require_fit(VoterTable const& voters, VotingRules const& rules, View<double const> k,
                 std::span<std::int64_t const> truth, VoteResults const& out) {
  std::size_t const queries = voters.row.rows, width = voters.row.cols;
  require(has_shape(voters.distance, queries, width) && voters.length.size() == queries &&
              (voters.weight.rows == 0 || has_shape(voters.weight, queries, width)),
          "the arrays of the voters do not fit together");
  require(rules.prior.size() == rules.ratio.size() && (truth.empty() || truth.size() == queries) &&
              (k.cols == 1 || k.cols == queries),
          "the rules do not fit the queries");
  require(has_shape(out.winner, k.rows, queries) && has_shape(out.size, k.rows, queries) &&
              has_shape(out.tied, k.rows, queries) &&
              (out.share.rows == 0 || has_shape(out.share, k.rows, queries)),
          "the results have no place");
}

}  // namespace

void gather_voters(VoteCandidates const& candidates, std::size_t threads,
                   VoterArrays<Writable> voters) {
  require_fit(candidates, voters);
  std::size_t const queries = candidates.row.rows;
  parallel_blocks(queries, kBlock, threads, [&](std::size_t from, std::size_t to, std::size_t) {
    for (std::size_t query = from; query < to; ++query) gather_voters_of(candidates, query, voters);
  });
}

void count_votes(VoterTable const& voters, VotingRules const& rules, View<double const> k,
                 std::span<std::int64_t const> truth, std::size_t threads, VoteResults const& out) {
  require_fit(voters, rules, k, truth, out);
  parallel_blocks(voters.row.rows, kBlock, threads,
                  [&](std::size_t from, std::size_t to, std::size_t) {
                    VoteCounter count(voters, rules);
                    for (std::size_t query = from; query < to; ++query) {
                      count.count(query, truth.empty() ? -1 : truth[query]);
                      count.settle(k, out);
                    }
                  });
}

}  // namespace lookalike
