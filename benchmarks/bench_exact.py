"""Exact Euclidean search against FAISS, scikit-learn, scikit-learn-intelex, usearch, hnswlib.

Run: LOOKALIKE_DATA=… python -m benchmarks.bench_exact [--quick] [--peers] [--instructions]
     [--only mnist,gaussian]
A full run takes about 8 minutes on two cores, with --peers 15.
Set LOOKALIKE_SIMD=avx2 to see a machine without AVX-512. Peers that are not installed are left
out with a note. Ratios are against the last line of each table, and below it that against the
quickest peer. Peers slower than FAISS have tables of their own: as many queries as take them about
20 seconds (--patience), the same for both.
"""

from __future__ import annotations

import time
from functools import partial

import numpy as np

from benchmarks.exact_child import instructions, peak_memory
from benchmarks.exact_data import DATA, lacks_file, load
from benchmarks.exact_peers import SLOWER, faiss_flat, faiss_panorama, installed
from benchmarks.timing import BenchParser, heading, race
from lookalike.index.exact import ExactIndex

K = 10
IMAGES = ("mnist", "images")  # whose k varies
SINGLES = 50  # queries that come one at a time
ADDED_ROWS = 1000
TRIAL = 100  # queries that show how slow it is


def print_choice(name, X, Q, index, quick):
    """Print what was chosen, and what the search costs besides time."""
    _, stats = index.query_with_stats(Q, K)
    shares = [f"{100 * count / stats['pairs']:.4f}%" for count in list(stats.values())[1:]]
    print(f"\n{name}: {X.shape[0]} x {X.shape[1]} <- {len(Q)} queries; {index.decisions}")
    print(
        "  pairs that passed the first codes {}, the wide codes {}, were refined {}".format(*shares)
    )
    print(
        f"  memory as a multiple of the rows: index {index.nbytes / X.nbytes:.2f}, "
        f"peak of build and search {peak_memory(name, quick):.2f} "
        "(at most 1.5 is allowed; fixed samples weigh more on --quick data)"
    )


def compare_with_faiss(name, X, Q, index, rounds):
    """Print the tables of one data set compared with FAISS."""
    peers = {}
    if not installed("faiss"):
        print("faiss is not installed: only our own times")
    else:
        peers = {"FAISS IndexFlatL2": faiss_flat(X), "FAISS Panorama": faiss_panorama(X, Q[:20])}

    def duel(title, ours, theirs):
        ways = {name: partial(theirs, search) for name, search in peers.items()}
        medians = race(f"{name}: {title}", {"lookalike": ours, **ways}, rounds=rounds)
        if peers:
            quickest = min(peers, key=lambda peer: medians[peer])
            ratio = medians[quickest] / medians["lookalike"]
            print(f"  the quickest peer, {quickest}, takes {ratio:.1f} times as long")

    race(f"{name}: build", {"lookalike": lambda: ExactIndex(X).build()}, rounds=rounds)
    for k in (K, 1, 100) if name in IMAGES else (K,):
        duel(f"k = {k}, built", lambda k=k: index.query(Q, k), lambda search, k=k: search(Q, k))
    build_included(name, X, Q, rounds)
    parts = [Q[i : i + 1] for i in range(SINGLES)]
    duel(
        f"{SINGLES} queries, one at a time",
        lambda: [index.query(part, K) for part in parts],
        lambda search: [search(part, K) for part in parts],
    )
    if name == "mnist":
        parts = [Q[i : i + 100] for i in range(0, min(len(Q), 2000), 100)]
        duel(
            f"{len(parts)} batches of 100",
            lambda: [index.query(part, K) for part in parts],
            lambda search: [search(part, K) for part in parts],
        )


def build_included(name, X, Q, rounds):
    """Print what the first queries cost: fewer of them, and all, with everything that is built."""
    for count in sorted({10, len(Q)}):
        ways = {"lookalike": lambda some=Q[:count]: ExactIndex(X).query(some, K)}
        if installed("faiss"):
            ways["FAISS IndexFlatL2"] = lambda some=Q[:count]: faiss_flat(X)(some, K)
        race(f"{name}: k = {K}, {count} queries, build included", ways, rounds=rounds)


def add_rows(name, X, Q, rounds):
    """Print what adding rows to an index takes, beside building it anew."""
    index, more = ExactIndex(X).build(), X[:ADDED_ROWS] + np.float32(0.5)
    index.add(more)  # the first makes room for others
    race(
        f"{name}: add {ADDED_ROWS} rows and answer a query",
        {
            "lookalike": lambda: index.with_rows(more).query(Q[:1], K),
            "rebuild": lambda: ExactIndex(np.concatenate([X, more])).build().query(Q[:1], K),
        },
        rounds=rounds,
    )


def compare_with_slower_libraries(X, Q, index, rounds, patience):
    """Print a table for each of the slower libraries: its queries are those it has the time for."""
    for name, (module, arrange) in SLOWER.items():
        if not installed(module):
            print(f"\n{name}: not installed, left out")
            continue
        search = arrange(X)
        start = time.perf_counter()
        search(Q[:TRIAL], K)
        each = (time.perf_counter() - start) / min(TRIAL, len(Q))
        few = Q[: max(1, min(len(Q), int(patience / each)))]
        turns = 1 if each * len(few) * rounds > patience else rounds
        race(
            f"k = {K}, built, {len(few)} of {len(Q)} queries, {turns} round(s)",
            {
                "lookalike": lambda few=few: index.query(few, K),
                name: lambda few=few, search=search: search(few, K),
            },
            rounds=turns,
        )


def count_instructions(name):
    """Print instructions a pair of ours and of FAISS, on the small data."""
    X, Q = load(name, True)
    for who in ("lookalike", "FAISS") if installed("faiss") else ("lookalike",):
        counted = instructions(name, who)
        if counted is None:
            print("  instructions: neither perf nor callgrind (valgrind) can count here")
            return
        total, counter = counted
        pairs = len(X) * len(Q)
        print(
            f"  instructions of {who} by {counter}: {total / 1e6:.0f} million for "
            f"{len(X)} x {X.shape[1]} <- {len(Q)} queries, {total / pairs:.1f} a pair"
        )


def main() -> None:
    parser = BenchParser(__doc__, rounds=(3, 1), patience=(20.0, 0.2))
    parser.add_argument(
        "--peers", action="store_true", help="the slower libraries too, as with --quick"
    )
    parser.add_argument(
        "--instructions", action="store_true", help="count them too, on small data: minutes"
    )
    parser.add_argument("--only", default=",".join(DATA), help="data sets, separated by commas")
    options = parser.parse_args()
    heading("exact neighbors")
    for name in options.only.split(","):
        if lacks_file(name):
            print(f"\n{name}: left out, LOOKALIKE_DATA does not name the folder of the data")
            continue
        X, Q = load(name, options.quick)
        index = ExactIndex(X).build()
        print_choice(name, X, Q, index, options.quick)
        if options.instructions:
            count_instructions(name)
        compare_with_faiss(name, X, Q, index, options.rounds)
        if name == "sift_million":
            add_rows(name, X, Q, options.rounds)
        if options.peers or options.quick:
            compare_with_slower_libraries(X, Q, index, options.rounds, options.patience)


if __name__ == "__main__":
    main()
