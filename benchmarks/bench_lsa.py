"""Truncated SVD of the Cranfield matrix compared with scikit-learn and gensim, at equal accuracy.

Run: LOOKALIKE_DATA=folder python -m benchmarks.bench_lsa [--quick]
A peer whose singular values
are not right to 1e-6 is timed all the same, and marked.
"""

from __future__ import annotations

import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD
from threadpoolctl import threadpool_limits

from benchmarks.timing import BenchParser, heading
from lookalike import LSA
from lookalike.data.samples import sample

COMPONENTS = (20, 50, 100, 200, 300)


def main() -> None:
    options = BenchParser(__doc__, documents=(1400, 400), repeats=(5, 1)).parse_args()
    X = cranfield(options.documents)
    heading("LSA, Cranfield")
    print(
        f"{X.shape[0]} documents, {X.shape[1]} terms, {X.nnz} entries; "
        f"median CPU s of {options.repeats} runs, one thread"
    )
    values = np.linalg.svd(X.toarray(), compute_uv=False)
    for k in COMPONENTS:
        runs = candidates(X, k)
        with threadpool_limits(1):  # ours takes one thread: the peers the same
            times, errors = measure(runs, values[:k], options.repeats)
        ours = statistics.median(times["lookalike"])
        for name in runs:
            middle, spread = statistics.median(times[name]), max(times[name]) - min(times[name])
            right = "" if errors[name] < 1e-6 else "  (not to 1e-6)"
            least = min(times[name]) / min(times["lookalike"])
            print(
                f"k={k:<4} {name:<24} {middle:7.3f} ± {spread:5.3f}   {middle / ours:5.2f}x ours, "
                f"{least:5.2f}x by minimum   error {errors[name]:.0e}{right}"
            )


def candidates(X: sp.csr_matrix, k: int) -> dict[str, Callable[[], np.ndarray]]:
    libraries = {
        "lookalike": lambda: LSA(k, weighting="raw").fit(X).singular_values_,
        "scikit-learn arpack": lambda: (
            TruncatedSVD(k, algorithm="arpack", random_state=0).fit(X).singular_values_
        ),
        "scikit-learn randomized": lambda: TruncatedSVD(k, random_state=0).fit(X).singular_values_,
    }
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from gensim.matutils import Sparse2Corpus
            from gensim.models import LsiModel
    except ImportError:
        print("gensim is not installed and left out")
        return libraries
    corpus = Sparse2Corpus(X, documents_columns=False)
    names = dict(enumerate(map(str, range(X.shape[1]))))
    libraries["gensim"] = lambda: (
        LsiModel(corpus, num_topics=k, id2word=names, random_seed=0).projection.s
    )
    return libraries


def measure(runs, exact, repeats):
    times = {name: [] for name in runs}
    errors = {}
    for _ in range(repeats):
        for name, run in runs.items():  # in turn, so that a busy moment hits all alike
            start = time.process_time()
            values = run()
            times[name].append(time.process_time() - start)
            short = exact[: len(values)]
            errors[name] = float(np.max(np.abs(values / short - 1)))
            if len(values) < len(exact):
                errors[name] = float("inf")
    return times, errors


def cranfield(n_documents: int) -> sp.csr_matrix:
    tables = sample("cranfield", "docs").tables()
    texts = np.concatenate([table.values["text"] for table in tables]).tolist()
    lsa = LSA(1).fit(texts[:n_documents])
    return sp.csr_matrix(lsa.document_terms_)


if __name__ == "__main__":
    main()
