#include "neighbors/votes.hpp"

#include "bind/arrays.hpp"
#include "bind/enums.hpp"
#include "bind/module.hpp"

namespace lookalike::bind {
namespace {

using Number = std::int64_t;

}  // namespace

void bind_votes(nb::module_& m) {
  def_enum<VoteWeight>(m, "VoteWeight", "What a vote counts.", "UNIFORM", VoteWeight::uniform,
                       "DISTANCE", VoteWeight::distance);
  def_enum<TieRule>(m, "TieRule", "What decides between classes of equally many votes.", "GROW",
                    TieRule::grow, "NEAREST", TieRule::nearest, "FEWER", TieRule::fewer, "PRIOR",
                    TieRule::prior);
  m.def(
      "gather_voters",
      [](Matrix<double const> candidate_distance, Matrix<Number const> candidate_row,
         Vector<Number const> own, Vector<Number const> group, Vector<double const> row_weight,
         Vector<double const> copies, std::size_t threads, Matrix<double> distance,
         Matrix<Number> row, Matrix<double> weight, Vector<Number> length) {
        VoteCandidates const candidates{
            view(candidate_distance), view(candidate_row), view(own), view(group),
            view(row_weight),         view(copies)};
        VoterArrays<Writable> const voters{view(distance), view(row), view(weight), view(length)};
        nb::gil_scoped_release unlocked;
        gather_voters(candidates, threads, voters);
      },
      nb::kw_only(), "candidate_distance"_a.noconvert(), "candidate_row"_a.noconvert(),
      "own"_a.noconvert(), "group"_a.noconvert(), "row_weight"_a.noconvert(),
      "copies"_a.noconvert(), "threads"_a, "distance"_a.noconvert(), "row"_a.noconvert(),
      "weight"_a.noconvert(), "length"_a.noconvert(),
      "Write the candidates that may vote, nearest first.");
  m.def(
      "count_votes",
      [](Matrix<double const> distance, Matrix<Number const> row, Matrix<double const> weight,
         Vector<Number const> length, bool complete, Vector<Number const> code,
         Vector<double const> ratio, Vector<double const> prior, VoteWeight weights, TieRule ties,
         Matrix<double const> k, Vector<Number const> truth, std::size_t threads,
         Matrix<Number> winner, Matrix<Number> size, Matrix<bool> tied, Matrix<double> share) {
        VoterTable const voters{view(distance), view(row), view(weight), view(length)};
        VotingRules const rules{view(code), view(ratio), view(prior), weights, ties, complete};
        VoteResults const out{view(winner), view(size), view(tied), view(share)};
        auto const ks = view(k);
        nb::gil_scoped_release unlocked;
        count_votes(voters, rules, ks, view(truth), threads, out);
      },
      nb::kw_only(), "distance"_a.noconvert(), "row"_a.noconvert(), "weight"_a.noconvert(),
      "length"_a.noconvert(), "complete"_a, "code"_a.noconvert(), "ratio"_a.noconvert(),
      "prior"_a.noconvert(), "weights"_a, "ties"_a, "k"_a.noconvert(), "truth"_a.noconvert(),
      "threads"_a, "winner"_a.noconvert(), "size"_a.noconvert(), "tied"_a.noconvert(),
      "share"_a.noconvert(), "Write the winner of every k and query, and after how many voters.");
}

}  // namespace lookalike::bind
