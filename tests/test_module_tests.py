"""Every module has a test: of its stem, one that names it, or that of its family."""

from __future__ import annotations

import ast
from pathlib import Path

import lookalike

SOURCE = Path(lookalike.__file__).parent
TESTS = Path(__file__).parent
FAMILY_TESTS = {  # modules that only work in a family, or beginnings of their names; its test
    "__main__": "cli/test_program.py",
    "data.odd_cells": "data/formats/test_csv.py",
    "data.sources.row_slice": "cli/test_loaded_model.py",
    "data.targets": "data/test_source.py",
    "data.write.parquet": "cli/test_output.py",
    "engines.dask_parts": "engines/test_engines.py",
    "explain.prediction.": "explain/prediction/test_evidence.py",
    "explain.row_predictions": "web/explorer/test_neighbor_model.py",
    "file_schema": "index/disk/test_index.py",
    "index.intrinsic_dimension": "explain/test_dimension.py",
    "index.metric_from_source": "index/disk/test_index.py",
    "kernels.components": "models/cluster/test_dbscan.py",
    "kernels.donors": "models/preprocessing/test_knn_imputer.py",
    "kernels.gpu.": "engines/test_gpu.py",
    "kernels.gpu.few_queries": "index/test_gpu_exact.py",
    "kernels.metrics.": "kernels/test_metrics.py",
    "metrics": "test_import.py",
    "models.decomposition.": "models/decomposition/test_kernel_pca.py",
    "models.feature_selection.exhaustive": "models/feature_selection/test_wrapper.py",
    "models.kernel.contributions": "explain/prediction/test_row_contributions.py",
    "models.linalg.centered": "models/decomposition/test_pca.py",
    "models.neighbors.metric_options": "models/neighbors/test_search_inputs.py",
    "models.neighbors.search_plan": "models/neighbors/test_search.py",
    "models.neighbors.training_rows": "explain/prediction/test_evidence.py",
    "models.priors": "models/discriminant/test_lda.py",
    "models.scores": "models/test_all_estimators.py",
    "models.rbf.classifier": "models/rbf/test_network.py",
    "models.trees.": "models/trees/test_forest.py",
    "models.trees.boosted_": "models/trees/test_boosted.py",
    "report.page.": "report/page/test_page.py",
    "report.save": "cli/test_reduce.py",
    "store.onnx.": "store/onnx/test_export.py",
    "studies.evaluate.": "studies/evaluate/test_evaluation.py",
    "studies.findings.": "studies/findings/test_claim.py",
    "studies.origin": "report/test_write_study.py",
    "studies.select.": "studies/evaluate/test_evaluation.py",
    "studies.written_files": "fuzz/test_study_folders.py",
    "web.strict_route": "web/explorer/test_routes.py",
}


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts)


def imported_modules(path: Path) -> set[str]:
    """Return what a file imports from the package, and what its strings name of it."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.Constant) and str(node.value).startswith("lookalike."):
            names |= {str(node.value), str(node.value).rpartition(".")[0]}
    return {name.removeprefix("lookalike.") for name in names if name.startswith("lookalike.")}


def test_every_module_is_tested_by_its_stem_by_name_or_with_its_family():
    paths = {module_of(path): path for path in SOURCE.rglob("*.py") if path.stem != "__init__"}
    named = set().union(*map(imported_modules, TESTS.rglob("*.py")))
    stems = {
        (path.parent.relative_to(TESTS).as_posix(), path.stem.removeprefix("test_"))
        for path in TESTS.rglob("test_*.py")
    }
    tested = {
        module
        for module, path in paths.items()
        if module in named or (path.parent.relative_to(SOURCE).as_posix(), path.stem) in stems
    }
    used_by_tested = set().union(
        *(
            {name for name in imported_modules(paths[module]) if _folder(name) == _folder(module)}
            for module in tested
        )
    )
    left = [module for module in paths if module not in tested | used_by_tested]
    assert [m for m in left if not any(map(m.startswith, FAMILY_TESTS))] == []
    needless = [key for key in FAMILY_TESTS if not any(m.startswith(key) for m in left)]
    assert needless == [], "these have tests of their own now: take them from the list"
    assert [test for test in FAMILY_TESTS.values() if not (TESTS / test).is_file()] == []


def _folder(module: str) -> str:
    return module.rpartition(".")[0]
