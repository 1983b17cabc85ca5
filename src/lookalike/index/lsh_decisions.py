"""Decisions of an LSH index: its tables, its recall, and whether exact search is faster."""

from __future__ import annotations

from lookalike.decisions import Decisions
from lookalike.index.filter_plan import predicted_cycles
from lookalike.index.lsh_tuning import MAX_HASHES_PER_TABLE, MOST_TABLES, LSHSetting, Recall, cycles
from lookalike.typing import AnyArray, Rows


def record_tables(decisions: Decisions, setting: LSHSetting, width: float | None) -> None:
    """Record which tables were chosen; `width` is in units of the rows, if there is one."""
    interval = "" if width is None else f", width {width:.4g}"
    probes = f", {setting.probes} probes each" if setting.probes else ""
    decisions.add(
        "tables",
        f"{setting.tables} of {setting.hashes} hashes{interval}{probes}",
        f"expected to find {setting.recall:.3f} of near rows and to compare {setting.share:.2%} of "
        f"all; at most {MOST_TABLES} of {MAX_HASHES_PER_TABLE} are tried",
    )


def record_recall(decisions: Decisions, measured: Recall, wanted: float, compared: Rows) -> None:
    """Record the measured recall, and how many queries had too few candidates."""
    below = "" if measured.share >= wanted else f", below recall={wanted:g}"
    decisions.add(
        "recall",
        f"{measured.share:.3f}, 95% CI {measured.low:.3f} to {measured.high:.3f}{below}",
        f"measured on the {measured.k} nearest rows of {measured.queries} rows not used for tuning",
    )
    decisions.add(
        "scan",
        f"{int((compared < 0).sum())} of {len(compared)} sampled queries",
        f"fewer than {measured.k} rows shared a bucket with them: they were searched exactly",
    )


def record_exact_search(
    decisions: Decisions, X: AnyArray, setting: LSHSetting, compared: Rows
) -> None:
    """Record how exact Euclidean search of `X` would compare, by the cycles predicted for both."""
    n_rows, n_features = X.shape
    exact = predicted_cycles(X) * n_rows
    met = compared[compared >= 0]
    share = float(met.mean()) / n_rows if len(met) else 0.0
    hashed = cycles(setting._replace(share=share), n_rows, n_features)
    hashed += float((compared < 0).mean()) * exact
    times = max(exact, hashed) / min(exact, hashed)
    verdict = "faster" if exact < hashed else "slower"
    decisions.add(
        "exact search",
        f"would be about {times:,.1f} times {verdict} here",
        f"predicted cycles per query: {exact:,.0f} exact, {hashed:,.0f} by LSH",
    )
