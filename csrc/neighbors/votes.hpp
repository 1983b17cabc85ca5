// Votes of neighbors: which of them vote, the leading class after each, and the tie rules.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/view.hpp"

namespace lookalike {

// Neighbors of some queries, nearest first, and what excludes some of them from the vote.
struct VoteCandidates {
  View<double const> distance;         // (queries, width)
  View<std::int64_t const> row;        // (queries, width)
  std::span<std::int64_t const> own;   // (queries,) the row that each query is, where they are rows
  std::span<std::int64_t const> part;  // (rows,) rows of one part have no vote for each other
  std::span<double const> weight;      // (rows,) or empty: each counts once; 0 has no vote
  std::span<double const> copies;      // (rows,) or empty: of a query's own row, what still votes
};

// The voters of every query, nearest first: beyond `length` infinitely far, row -1 and weight 0.
template <template <class> class Const>
struct VoterArrays {
  View<Const<double>> distance;  // (queries, width), one more than the candidates where copies vote
  View<Const<std::int64_t>> row;
  View<Const<double>> weight;  // no rows: each counts once
  std::span<Const<std::int64_t>> length;
};

using VoterTable = VoterArrays<ReadOnly>;

void gather_voters(VoteCandidates const& candidates, std::size_t threads,
                   VoterArrays<Writable> voters);

enum class VoteWeight { uniform, distance };  // votes count the same, or d_(1) / d_(i)
enum class TieRule { grow, nearest, fewer, prior };

struct VotingRules {
  std::span<std::int64_t const> code;  // (rows,) the class of each
  std::span<double const> ratio;       // (classes,) what a vote counts
  std::span<double const> prior;       // (classes,) of level classes, TieRule::prior takes the most
  VoteWeight weighting = VoteWeight::uniform;
  TieRule ties = TieRule::grow;
  bool complete = false;  // whether the table holds every row that could vote
};

// Of every number of neighbors and every query: (ks, queries).
struct VoteResults {
  View<std::int64_t> winner;  // -1 where more neighbors are needed
  View<std::int64_t> size;    // neighbors that voted in the end
  View<bool> tied;            // whether classes were level at first
  View<double> share;         // of the votes for the true class; no rows: not wanted
};

// Settles the votes of the first k voters, for each k of (ks, 1) or (ks, queries); of voters with
// weights, of as many as weigh that much. `truth` is empty, or the class of each query.
//
// TieRule::grow counts to the end of a shell of equally near rows, then shell by shell until no two
// classes are level [Barber, algorithm 14.1, step 4]; TieRule::fewer goes back; the others take of
// the level classes the one of the nearest voter, or the likeliest. What is level even then goes to
// the first class.
void count_votes(VoterTable const& voters, VotingRules const& rules, View<double const> k,
                 std::span<std::int64_t const> truth, std::size_t threads, VoteResults const& out);

}  // namespace lookalike
