"""The tree is the path of the data: imports point one way, folders are families."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

from public_estimators import PUBLIC_ESTIMATORS

import lookalike

ROOT = Path(lookalike.__file__).parent
TESTS = Path(__file__).parent
BASE = {
    "confidence",
    "errors",
    "file_schema",
    "inexact",
    "interrupt",
    "missing",
    "lazy",
    "typing",
    "validation",
    "settings",
    "threads",
    "decisions",
    "printable",
    "progress",
    "table",
    "workers",
    "_core",
}
MAY_IMPORT = {
    "workers": set(),
    "data": set(),
    "kernels": set(),
    "reductions": {"data", "kernels"},
    "engines": {"data", "reductions"},
    "index": {"data", "kernels", "reductions", "engines"},
    "models": {"data", "kernels", "reductions", "engines", "index"},
    "explain": {"data", "kernels", "reductions", "engines", "index", "models"},
    "store": {"data", "index", "models"},
    "studies": {"data", "kernels", "reductions", "engines", "index", "models", "explain", "store"},
    "report": {"data", "models", "explain", "store", "studies"},
    "web": {"data", "index", "models", "explain", "studies", "store", "report"},
    "cli": {"data", "index", "models", "explain", "studies", "store", "report", "web"},
}
FAMILIES = (  # of models: each may import those before it
    "linalg",
    "text",
    "preprocessing",
    "discriminant",
    "neighbors",
    "cluster",
    "mixture",
    "trees",
    "kernel",
    "decomposition",
    "manifold",
    "feature_selection",
    "linear",
    "rbf",
    "calibration",
    "ensemble",
    "semi_supervised",
)
SHARED = {  # files of models that every family may use
    "cross_validation",
    "estimator",
    "inputs",
    "labels",
    "priors",
    "scores",
    "sklearn_bases",
    "state",
    "targets",
}
GPU_FILES = {"data/sources/tensors.py", "engines/gpu.py", "index/gpu_exact.py"}
OWNERS = {
    "dask": {
        "data/sources/dask.py",
        "engines/dask.py",
        "engines/dask_parts.py",
        "engines/local_cluster.py",
    },
    "distributed": {"engines/dask.py", "engines/dask_parts.py", "engines/local_cluster.py"},
    "fsspec": {"data/sources/remote.py"},
    "mlflow": {"store/mlflow.py"},
    "onnx": {"store/onnx/graph.py"},
    "pandas": {"data/formats/statistics_files.py"},
    "polars": set(),
    "torch": {"models/decomposition/mlp_torch.py", "kernels/gpu/"} | GPU_FILES,
    "triton": {"kernels/gpu/"},
}


OTHER_FOLDERS = ("gallery", "fuzz", "browser", "sklearn_swap")
OF_A_WHOLE_FOLDER = {  # tests of what the files of a folder do together
    "cli/test_commands.py",
    "cli/test_csv.py",
    "cli/test_first_contact.py",
    "cli/test_from_study_to_answer.py",
    "cli/test_readme.py",
    "cli/test_larger_than_memory.py",
    "cli/test_streams.py",
    "cli/test_wrong_files.py",
    "engines/test_engines.py",
    "kernels/test_bounds.py",
    "models/test_all_estimators.py",
    "models/test_book.py",
    "models/test_inputs.py",
    "models/test_lost_worker.py",
    "reductions/test_laws.py",
    "report/page/test_page.py",
    "store/test_versions.py",
    "studies/test_bad_input.py",
    "studies/test_same_bytes.py",
}


def modules():
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


@functools.cache
def parsed(path):
    return ast.parse((ROOT / path).read_text(encoding="utf-8"))


@functools.cache
def imported(path):
    return tuple(_imported(path))


def _imported(path):
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module == "lookalike":
                yield from (f"lookalike.{alias.name}" for alias in node.names)
            yield node.module


def imported_by_string(path):
    """Yield the modules of the package that a file imports by a name in a string."""
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module"):
            for name in node.args[:1]:
                if isinstance(name, ast.Constant) and str(name.value).startswith("lookalike."):
                    yield name.value


def test_imports_written_as_strings_point_the_same_way_but_for_the_page_of_a_notebook():
    found = {
        (path, name)
        for path in modules()
        if "/" in path
        for name in imported_by_string(path)
        if name.split(".")[1] not in MAY_IMPORT[path.split("/")[0]] | BASE | {path.split("/")[0]}
    }
    assert found == {
        ("studies/results.py", "lookalike.web.notebook"),  # study.explore()
        ("studies/results.py", "lookalike.report.notebook"),  # a study that a notebook shows
    }


def native_files(pattern):
    """Return the files of the native core, without its bindings and tests."""
    csrc = ROOT.parents[1] / "csrc"
    files = [path for path in csrc.rglob(pattern) if path.parent.name not in ("bind", "tests")]
    assert len(files) > 20
    return sorted(files)


def test_each_folder_imports_only_from_the_folders_before_it():
    for path in [path for path in modules() if "/" in path]:
        floor = path.split("/")[0]
        allowed = MAY_IMPORT[floor] | BASE | {floor}
        for name in imported(path):
            if name.startswith("lookalike.") and not (floor == "cli" and name[10:11].isupper()):
                assert name.split(".")[1] in allowed, f"{path} imports {name}"


def test_optional_libraries_are_imported_only_by_the_files_that_own_them():
    for path in modules():
        for name in imported(path):
            owners = OWNERS.get(name.split(".")[0])
            folder = path.rpartition("/")[0] + "/"
            assert owners is None or {path, folder} & owners, f"{path} imports {name}"


def test_models_holds_packages_and_the_files_that_all_of_them_share():
    inside = [path for path in (ROOT / "models").iterdir() if path.name != "__pycache__"]
    files = {path.stem for path in inside if path.is_file()}
    assert files == SHARED | {"__init__"}
    assert {path.name for path in inside if path.is_dir()} == set(FAMILIES)


def test_each_family_of_models_imports_only_from_the_families_before_it():
    for path in [path for path in modules() if path.startswith("models/")]:
        family = path.split("/")[1].removesuffix(".py")
        if family == "__init__":
            continue
        before = FAMILIES[: FAMILIES.index(family)] if family in FAMILIES else ()
        allowed = {*before, family, *SHARED}
        for name in imported(path):
            if name.startswith("lookalike.models."):
                assert name.split(".")[2] in allowed, f"{path} imports {name}"


def test_there_is_no_import_cycle():
    graph = {path: set(_imported_files(path)) for path in modules()}
    while free := [path for path, names in graph.items() if not names & graph.keys()]:
        for path in free:
            del graph[path]
    assert not graph, f"a cycle among {sorted(graph)}"


def _imported_files(path):
    """Return the files of the package that a file imports when it is imported itself."""
    for node in parsed(path).body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lookalike"):
            for alias in node.names:
                names = [*node.module.split(".")[1:], alias.name]
                yield from {_file_of(names), _file_of(names[:-1])} - {None, path}


def _file_of(names):
    stem = "/".join(names)
    file = f"{stem}.py"
    return file if stem and (ROOT / file).is_file() else None


def test_every_package_states_its_job_in_one_sentence_and_lists_its_public_names():
    for path in [path for path in modules() if path.endswith("/__init__.py")]:
        tree = parsed(path)
        sentence = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ")
        assert re.fullmatch(r"[A-Z`][^.]*\.", sentence.replace("...", "")), f"{path}: {sentence!r}"
        targets = [
            name for node in tree.body if isinstance(node, ast.Assign) for name in node.targets
        ]
        assert "__all__" in {name.id for target in targets for name in ast.walk(target)
                             if isinstance(name, ast.Name)}, path  # fmt: skip


def model_privates():
    """Return the names of private attributes and methods of classes in `models`."""
    names = set()
    for path in [path for path in modules() if path.startswith("models/")]:
        for kind in [node for node in ast.walk(parsed(path)) if isinstance(node, ast.ClassDef)]:
            for node in ast.walk(kind):
                if isinstance(node, ast.FunctionDef):
                    names.add(node.name)
                elif isinstance(node, ast.Attribute) and ast.unparse(node.value) == "self":
                    names.add(node.attr)
    names |= {"_fit_X", "_y"}  # of scikit-learn's neighbors
    names -= {"_replace", "_asdict"}  # of named tuples, which are public
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def private_reads(path, privates):
    """Yield where a file reads a private attribute of another object, also by getattr."""
    own = {
        node.attr
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("self", "cls")
    }
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Attribute) and node.attr in privates - own:
            yield f"{path}:{node.lineno}: {ast.unparse(node)}"
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
            name = node.args[1]
            if isinstance(name, ast.Constant) and name.value in privates:
                yield f"{path}:{node.lineno}: {ast.unparse(node)}"


def test_no_private_attribute_of_a_model_is_read_outside_of_models():
    outside = ("explain/", "studies/", "web/", "report/", "cli/", "store/")
    privates = model_privates()
    assert {"_queries", "_forest", "_check_columns", "_lean"} <= privates
    paths = [path for path in modules() if path.startswith(outside)]
    assert not [read for path in paths for read in private_reads(path, privates)]


def test_no_estimator_has_more_than_four_ancestors_of_ours_and_none_is_an_estimator():
    kinds = set(PUBLIC_ESTIMATORS.values())
    assert len(kinds) > 30
    for kind in kinds:
        ours = [base for base in kind.__mro__[1:] if base.__module__.startswith("lookalike.")]
        assert len(ours) <= 4, f"{kind.__name__} has the ancestors {ours}"
        assert not kinds & set(ours), f"an ancestor of {kind.__name__} is an estimator"


def test_attributes_of_an_object_are_copied_before_they_are_iterated_over():
    """Another thread may fill in a cached property: a dictionary is copied in one step."""
    uncopied = re.compile(r"(vars\((?!base)[a-z_]+\)|[a-z_]+\.__dict__)(\.\w+\(\))?")
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.For | ast.comprehension):
                assert not uncopied.fullmatch(ast.unparse(node.iter)), f"{path}: {node.iter.lineno}"


def test_no_two_classes_have_one_name():
    places = {}
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ClassDef):
                places.setdefault(node.name, []).append(path)
    twice = {name: paths for name, paths in places.items() if len(paths) > 1}
    assert not twice


def test_files_and_functions_are_short():
    for path in modules():
        lines = (ROOT / path).read_text(encoding="utf-8").count("\n")
        assert lines <= 400, f"{path} wants to be two files"
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                code = node.body[1:] if ast.get_docstring(node) else node.body
                length = node.end_lineno - (code or node.body)[0].lineno + 1
                assert length <= 60, f"{path}: {node.name} wants to be two functions"


def test_tests_lie_where_their_source_lies():
    for path in sorted(path.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")):
        folder, _, name = path.rpartition("/")
        stem = name.removeprefix("test_").removesuffix(".py").removeprefix("sklearn_")
        if (
            not folder
            or path in OF_A_WHOLE_FOLDER
            or folder in ("gallery", "fuzz", "browser", "sklearn_swap")
        ):
            continue
        stems = {inside.stem for inside in (ROOT / folder).iterdir()}
        assert any(stem == one or stem.startswith(f"{one}_") for one in stems), path


def test_the_native_code_knows_no_python():
    for path in native_files("*.[ch]pp"):
        text = path.read_text(encoding="utf-8")
        assert "nanobind" not in text, path
        assert "Python.h" not in text, path


def test_there_is_no_folder_or_file_called_utils():
    assert not [path for path in modules() if "util" in path]


def shared_types(path):
    """Return the classes and enums that a native file puts into a namespace others see."""
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"^namespace \{$.*?^\}  // namespace$", "", text, flags=re.MULTILINE | re.DOTALL)
    pattern = r"^(?:struct|class|enum class|enum) (\w+)(?: (?:final|:)[^;{]*)? \{"
    return re.findall(pattern, text, re.MULTILINE)


def test_no_two_headers_define_a_class_of_one_name():
    seen = {}
    for path in native_files("*.[ch]pp"):
        if path.parent.name == "simd":  # a namespace for every vector level
            continue
        for name in shared_types(path):
            assert name not in seen, f"{name} in {seen[name]} and {path.name}"
            seen[name] = path.name
    assert {"TopK", "SetChange", "Reassignment", "Simd"} <= seen.keys()


def test_types_of_an_anonymous_namespace_are_not_shared(tmp_path):
    path = tmp_path / "kernel.cpp"
    path.write_text(
        "namespace lookalike {\nnamespace {\n\nstruct Own {\n};\n\n}  // namespace\n\n"
        "enum class Kind { a, b };\nstruct Shared final : Base {\n};\n}  // namespace lookalike\n"
    )
    assert shared_types(path) == ["Kind", "Shared"]


RECORD_SECTIONS = (  # of a decision: the first two always, the others where there is something
    *("Context", "Decision", "What was measured", "What did not help", "What was given up"),
    "Consequences",
)


def test_decisions_are_numbered_without_gaps_and_written_in_one_format():
    records = sorted((ROOT.parents[1] / "docs" / "adr").glob("[0-9]*.md"))
    for number, path in enumerate(records, start=1):
        text = path.read_text(encoding="utf-8")
        assert path.name.startswith(f"{number:04d}-"), f"{path.name} should have number {number}"
        assert text.startswith(f"# {number}. "), path.name
        assert re.match(r"# .*\n\nStatus: (accepted|replaced by ADR \d+)\.", text), path.name
        sections = re.findall(r"(?m)^## (.*)$", text)
        assert sections == [name for name in RECORD_SECTIONS if name in sections], path.name
        assert sections[:2] == ["Context", "Decision"], path.name
