"""A finished study, made by hand, whose names try to break out of a page."""

from __future__ import annotations

import numpy as np

from lookalike.decisions import Decision, Decisions
from lookalike.explain.audit.table import AuditTable
from lookalike.explain.bayes_error import BayesErrorEstimate, HalfAndAll, Reached
from lookalike.explain.dimension import Dimension
from lookalike.explain.learning_curve import Forecast, LearningCurve
from lookalike.models.neighbors.k_selection import KSelection, ScoreCurve
from lookalike.studies import analysis_results, evaluation_results, profile_results, results

K_ERRORS = np.array([0.2, 0.15, 0.11])
NASTY = '<img src=x onerror="alert(1)">'
NASTIER = "</script></style>\"'&=+@\u2028"
DOT = (
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCB"
    "d81ytgAAAABJRU5ErkJggg=="
)


def claim_text(study, kind="model"):
    """Return the sentence of a kind in the summary of a study."""
    return next(one.text for one in study.summary if one.kind == kind)


def example_bayes_error():
    """Return an estimated Bayes error of 2 to 15%."""
    reached = Reached("K nearest neighbors", 0.11, (0.08, 0.15), "cross-validation, 5 folds")
    nearest = HalfAndAll("scaled columns", 0.14, 0.15, 120, 0.06)
    curve = HalfAndAll("random forest", 0.12, 0.13, 120, 0.05)
    other = HalfAndAll("11-NN", 0.125, 0.14, 120, 0.04)
    return BayesErrorEstimate(
        0.02, 0.15, True, reached, nearest, 0.02, curve, other, "", 120, (nearest,), (curve, other)
    )


def example_profile():
    """Return the profile of a column of numbers."""
    alert = profile_results.Alert("capped_at_maximum", f"40 rows at the maximum of {NASTY}.")
    return profile_results.ColumnProfile(
        117,
        "",
        (-1.0, 0.0, 1.0, 2.0, 1_234_567.0),
        (),
        1.5,
        0.5,
        1,
        40,
        profile_results.Histogram((0.0, 1.0, 2.0), (77, 40)),
        association=profile_results.Association(
            "Spearman's rank correlation", -0.5, 0.001, True, 117, (-0.6, -0.4)
        ),
        alerts=(alert,),
    )


def example_categories():
    """Return the profile of a column of categories."""
    return profile_results.ColumnProfile(120, top_values=((NASTY, 80), ("q", 40)))


def example_class_curves(labels):
    """Return ROC curves and a calibration."""
    curves = tuple(
        evaluation_results.RocCurve(
            label, 7, 13, (0.0, 0.2, 1.0), (0.0, 0.9, 1.0), (1.0, 0.8, 0.4), 0.85, (0.6, 0.95), 0.8
        )
        for label in labels
    )
    bins = (
        evaluation_results.CalibrationBin(0.3, 0.25, (0.1, 0.5), 10),
        evaluation_results.CalibrationBin(0.9, 0.7, (0.4, 0.9), 10),
    )
    calibration = evaluation_results.Calibration(None, bins, 0.2, 0.6, 0.125, 0.1, 20)
    return {"roc_curves": curves, "calibration": calibration}


def example_residuals():
    """Return residuals and prediction intervals."""
    bins = (evaluation_results.ResidualBin(1.0, (-0.2, -0.1, 0.0, 0.1, 0.2), 20),)
    residuals = evaluation_results.Residuals(
        {"5%": -0.3, "50%": 0.0, "95%": 0.3}, bins, 0.4, (0.1, 0.6), 20
    )
    coverage = evaluation_results.IntervalCoverage(0.9, 0.25, 0.85, (0.6, 0.95), 20)
    return {"residuals": residuals, "prediction_intervals": coverage}


def example_study(task="classification", rows=120, picture=DOT):
    """Return a study with every part filled in, for classes or for numbers."""
    classes = task == "classification"
    rng = np.random.default_rng(0)
    labels = ("$\\frac", NASTY, "_\u5b57")
    measure = "error" if classes else "rmse"
    neighbors = tuple(analysis_results.Neighbor(i, 0.5 * i, NASTY, picture) for i in range(1, 4))
    suspects = (
        analysis_results.FlaggedRow(5, "mislabel", 0.93, NASTY, "a", picture, None, {}, neighbors),
        analysis_results.FlaggedRow(7, "outlier", 8.25, "c", "", None, NASTIER, {}, neighbors[:1]),
        analysis_results.FlaggedRow(9, "duplicate", 1.0, "c", "", None, None, {NASTY: NASTIER}, ()),
    )
    table = AuditTable(np.arange(rows), ("",) * rows, {}, {})
    return results.Study(
        title=f"study of {NASTY}",
        source=NASTIER,
        task=task,
        data_kind="table",
        shape=results.DataShape(
            rows, 4, 4, rows - 20, 20, "a fifth of the rows, drawn with seed 0"
        ),
        summary=(
            results.Finding("model", f"K nearest neighbors, {NASTY}."),
            results.Finding("audit", "1 label is probably wrong."),
        ),
        columns=(
            results.ColumnDescription(
                NASTY, "number", "feature", 3, 9, NASTIER, "scaled", example_profile()
            ),
            results.ColumnDescription(
                "kind", "category", "feature", 0, 2, "", "", example_categories()
            ),
        ),
        target=results.TargetSummary(
            NASTY,
            labels if classes else (),
            (40, 40, 40) if classes else (),
            intervals=((0.2, 0.4),) * 3 if classes else (),
            profile=example_profile(),
        ),
        candidates=(
            results.Candidate("majority", "Most frequent class", "Looks at nothing.", {}, 0.6),
            results.Candidate(
                "knn", "K nearest neighbors", NASTIER, {"K": "3"}, 0.11, (0.08, 0.15), "loo"
            ),
            results.Candidate("lda", "Discriminants", "Lines.", skipped="the time was up"),
        ),
        winner="knn",
        held_out=results.HeldOutScores(
            measure,
            0.1,
            (0.03, 0.3),
            20,
            0.6,
            (0.4, 0.8),
            r2=None if classes else 0.81,
            r2_interval=None if classes else (0.7, 0.9),
            mae=None if classes else 0.08,
            labels=labels if classes else (),
            confusion_matrix=((6, 1, 0), (1, 6, 0), (0, 0, 6)) if classes else (),
            classes=tuple(results.ClassScores(label, 7, 7, 0.86, None, None) for label in labels)
            if classes
            else (),
            scores=(
                results.MetricScore(measure, "error", 0.1, (0.03, 0.3), 0.6),
                results.MetricScore("f1", "F1", 0.9, (0.8, 0.95), None)
                if classes
                else results.MetricScore("r2", "R²", 0.81, (0.7, 0.9), 0.0),
            ),
        ),
        bayes_error=example_bayes_error() if classes else None,
        leakage=analysis_results.TargetLeakage(
            (analysis_results.Leak("column", (NASTY,), True, 0.01, 0.2, "decision tree", 100),),
            0.2,
            (0.1, 0.3),
            "K nearest neighbors",
            100,
        ),
        learning_curve=LearningCurve(
            np.array([25, 50, 100]),
            np.array([[0.3, 0.2, 0.1]]),
            np.array([0.3, 0.2, 0.1]),
            np.array([0.2, 0.1, 0.05]),
            np.array([0.4, 0.3, 0.2]),
            (0.05, 2.0, 0.8),
            3,
            measure,
            Decisions(),
            np.array([[0.05, 2.0, 0.8]]),
        ),
        forecast=Forecast(
            np.array([100.0, 200.0, 400.0, 1000.0]),
            np.array([0.1, 0.08, 0.06, 0.055]),
            np.array([0.05, 0.04, 0.03, 0.02]),
            np.array([0.2, 0.15, 0.12, 0.1]),
        ),
        k_selection=KSelection(
            np.array([1, 2, 3]),
            measure,
            {("loo", "uniform"): ScoreCurve({measure: K_ERRORS}, {measure: 0.2 * K_ERRORS})},
            rows - 20,
            {("loo", "uniform"): 0},
        ),
        spectrum=analysis_results.Spectrum(
            (4.0, 2.0, 1.0, 1.0), (0.5, 0.25, 0.125, 0.125), 4, {"0.95": 4, "knee": 2}
        ),
        intrinsic_dimension=Dimension(
            "twonn", 2.4, (2.0, 2.9), np.full(rows, 2.4), (), Decisions()
        ),
        projections=(
            analysis_results.Projection(
                "PCA",
                np.arange(rows),
                rng.normal(size=rows),
                rng.normal(size=rows),
                tuple(labels[i % 3] for i in range(rows)) if classes else (),
                None if classes else rng.normal(size=rows),
                ("first", "second"),
                False,
            ),
        ),
        feature_importance=(
            analysis_results.FeatureImportance(NASTY, 0.2, (0.1, 0.3), 0.5, 0.001),
            analysis_results.FeatureImportance("width", 0.1, (0.05, 0.15), 0.2, 0.01),
        ),
        audit=analysis_results.AuditSummary(
            {"mislabel": 1, "outlier": 1, "duplicate": 2, "hub": 0}, suspects, 10, rows, 0.01, table
        ),
        **(example_class_curves(labels) if classes else example_residuals()),
        partial_dependence=(
            evaluation_results.PartialDependence(
                NASTY,
                "number",
                "prediction",
                (1.0, 2.0, 3.0),
                (0.1, 0.2, 0.4),
                (0, 0, 0),
                (1, 1, 1),
                20,
            ),
            evaluation_results.PartialDependence(
                "kind", "category", NASTIER, ("p", NASTY), (0.1, 0.2), (0, 0), (1, 1), 20
            ),
        ),
        prototype_selection=analysis_results.PrototypeSelection(12, 100, 0.12, 0.1, (0.04, 0.3), 20)
        if classes
        else None,
        clustering=None,
        decisions=(Decision("scale", NASTY, NASTIER),),
        seed=0,
        versions={"lookalike": "0.1.0"},
        settings={"time": "5m"},
        seconds=1.5,
        stages={"compare": 1.0},
    )
