"""Benchmarks and the gallery are run by hand: what they take from the package is there.

Every benchmark tells its options and can be quick; `benchmarks.run` runs all of them.
"""

import ast
import importlib
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[1]
SCRIPTS = [path for folder in ("benchmarks", "gallery") for path in (ROOT / folder).glob("*.py")]
PARTS = {"exact_child", "serve_baseline"}  # processes that another benchmark starts
BENCHMARKS = sorted(  # those that need no GPU
    path.stem
    for path in (ROOT / "benchmarks").glob("[!_]*.py")
    if "__main__" in path.read_text(encoding="utf-8")
    and path.stem not in PARTS
    and not path.stem.startswith("bench_gpu_")
)


@pytest.fixture
def benchmark(monkeypatch):
    """Import a module of the benchmarks."""
    monkeypatch.syspath_prepend(str(ROOT))
    return lambda stem: importlib.import_module(f"benchmarks.{stem}")


@pytest.mark.parametrize(
    "script", sorted(SCRIPTS), ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_script_finds_what_it_imports_from_the_package(script):
    absent = []
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lookalike":
            absent += [f"{node.module}.{one.name}" for one in node.names if not _has(node, one)]
    assert not absent


def _has(node: ast.ImportFrom, name: ast.alias) -> bool:
    try:
        module = importlib.import_module(node.module)
    except ModuleNotFoundError as missing:
        return missing.name == "torch" and find_spec(node.module) is not None
    submodule = hasattr(module, "__path__") and find_spec(f"{node.module}.{name.name}")
    return hasattr(module, name.name) or bool(submodule)


@pytest.mark.parametrize("stem", BENCHMARKS)
def test_a_benchmark_tells_its_options_and_can_be_quick(stem, benchmark, monkeypatch, capsys):
    module = benchmark(stem)
    monkeypatch.setattr(sys, "argv", [stem, "--help"])
    with pytest.raises(SystemExit) as ended:
        module.main()
    assert ended.value.code == 0
    assert "--quick" in capsys.readouterr().out


def test_a_quick_run_takes_all_benchmarks(benchmark):
    run = benchmark("run")
    names = [*run.measured_by_default(), *run.STUDIES]
    assert sorted(run.module_of(name).removeprefix("benchmarks.") for name in names) == [
        stem for stem in BENCHMARKS if stem != "run"
    ]


def test_all_benchmarks_run_though_one_fails(benchmark, monkeypatch, capsys, tmp_path):
    run = benchmark("run")
    monkeypatch.setattr(run, "HERE", tmp_path / "benchmarks")
    monkeypatch.setattr(run, "measured_by_default", lambda: ["first", "second"])
    monkeypatch.setattr(run, "run", lambda name, *_: run.Ended(1.0, 2.0, 3 * (name == "first")))
    monkeypatch.setattr(sys, "argv", ["run"])
    with pytest.raises(SystemExit, match="failed: first"):
        run.main()
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["first", "1.0", "2.0", "3"] in lines
    assert ["second", "1.0", "2.0", "0"] in lines


def test_what_a_benchmark_prints_is_shown_and_kept(benchmark, monkeypatch, capfdbinary, tmp_path):
    run = benchmark("run")
    monkeypatch.chdir(ROOT)
    ended = run.run("scale_simulation", True, tmp_path)
    assert min(ended.seconds, ended.cpu) > 0
    assert ended.status == 0
    assert (tmp_path / "scale_simulation.txt").read_bytes() == capfdbinary.readouterr().out


def test_a_size_that_is_given_counts_in_a_quick_run_too(benchmark):
    def sizes(*given):
        parser = benchmark("timing").BenchParser("", rows=(100, 10), time=("5m", "3s"))
        options = parser.parse_args(given)
        return options.rows, options.time

    assert sizes() == (100, "5m")
    assert sizes("--quick") == (10, "3s")
    assert sizes("--quick", "--rows", "50") == (50, "3s")


def test_a_quick_run_neither_reads_nor_writes_kept_results(benchmark, monkeypatch, tmp_path):
    kept_results = benchmark("kept_results")
    monkeypatch.setattr(kept_results, "FOLDER", tmp_path)
    kept = kept_results.KeptResults("speed", {}, ["one"])
    kept.keep("one", {"seconds": 1.0})
    kept.write_table("one 1.0")
    before = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert set(before) == {"speed.jsonl", "speed.txt"}
    quick = kept_results.KeptResults("speed", {}, ["one"], quick=True)
    assert not quick.parts
    quick.keep("one", {"seconds": 2.0})
    quick.write_table("one 2.0")
    assert quick.ordered() == [{"seconds": 2.0}]
    assert before == {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}


def test_a_way_far_slower_than_ours_has_two_rounds(benchmark, monkeypatch, capsys):
    timing = benchmark("timing")
    clock = {"now": 0.0}
    seconds = {"ours": 0.7, "slow": 4.0, "no slower": 3.4}
    rounds = dict.fromkeys(seconds, 0)

    def way(name):
        rounds[name] += 1
        clock["now"] += seconds[name]

    measured = SimpleNamespace(perf_counter=lambda: clock["now"], process_time=lambda: 0.0)
    monkeypatch.setattr(timing, "time", measured)
    timing.race("", {name: partial(way, name) for name in seconds}, rounds=3)
    assert rounds == {"ours": 3, "slow": 2, "no slower": 3}
    assert "2 of 3 rounds" in capsys.readouterr().out
