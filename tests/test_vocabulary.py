"""Everything that is read uses the field's terms: reports, help, messages, docs and names."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import shlex
import tokenize
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

import lookalike

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lookalike"

DIALECT = {  # phrases that are not used anywhere, and the terms that say the same
    r"telling|told|tells? (most|by it|by them|of|the same|nothing)": "important; univariate score",
    r"answer(s|ed)? so|of those right|of its rows found": "predicted; precision; recall",
    r"without looking at the features|looks? at nothing|always answering": "baseline",
    r"taken for which|was taken for": "confusion matrix",
    r"nearer ones count more|votes? by nearness": "weights='distance'",
    r"judg(e|es|ed|ing|ment)": "evaluate; reference; scorer",
    r"of rows wrong|it never saw|had not learned from": "held-out error",
    r"miss(es)? \S+ by|the miss|largest miss|alone misses": "RMSE",
    r"no (model|classifier) can (beat|be expected)|best possible errs": "estimated Bayes error",
    r"how few rows|answers? as well as all|as far as can be told": "prototype selection",
    r"numbers? describes? a row|numbers are needed to describe": "intrinsic dimension",
    r"most telling|relief": "feature importance",
    r"clouds?|bells?(?!-shaped)|bumps?": "Gaussian mixture components; basis functions",
    r"ha(ve|s) a say|weights are paid": "RBF network; Ridge regression (L2 penalty)",
    r"how much they tell|words weighted": "tf-idf",
    r"(near|straight) space": "features for distance models; for linear models",
    r"lonely|loneliness|far from all others": "outlier (low local density)",
    r"unusually many others|everybody('s)?": "hub",
    r"there twice|doubled|that training has seen": "duplicates; train/test leakage",
    r"anew": "again; nested cross-validation",
    r"a name of the row|taken in their order": "identifier column; ordinal",
    r"looks? around|looking around": "exploratory",
    r"all that is drawn|sign between|stands? for no value": "random seed; delimiter; marker",
    r"error of the program|is of engine": "internal error; requires engine=",
    r"to make it again|deserves? a second look": "reproducibility; flagged rows",
    r"beside (scikit-learn|theirs|ours|numpy)": "compared with",
    r"so many(?! that)": "this many",
    r"CUDA cards?|(on|to) (the|a) card|memory of the card": "GPU",
    r"folders? of pictures|is no picture|reads? pictures": "images",
    r"leaves? (float64|the range of numbers)": "overflow; the range of float64",
    r"Euclidean between rows|plain or embedded": "orders rows as a Euclidean distance does",
    r"(of|the) least (error|loss|leave-one-out|BIC)|least (out-of-bag|BIC)": "lowest",
    r"one ((?!is|where)\w+ )?a (row|column|query|center|component|partition)": "one per row",
    r"receipts?": "contributions to the score",
    r"in the world|torn away|stretched by|give such": "causal effect; torn neighbors; extrapolated",
    r"(?<!there )(is|are|was|were) no "
    r"(?!(longer|more|better|larger|smaller|nearer|less)\b)\w+": "is not a",
    r"as of(?! \d)|of fewer than|kept at hand": "as in; below, or with fewer than; cached",
}
BRITISH = (
    r"neighbour\w*|centre[sd]?|colour\w*|behaviour\w*|favour\w*|honour\w*|labell(ed|ing)|"
    r"modell(ed|ing)|analyse[d]?|analysing|artefacts?|"
    r"(standard|normal|optim|minim|maxim|initial|regular|vector|organ|recogn|general|parametr|"
    r"visual|quant|discret|summar|random|parallel|serial|factor|penal|stabil|emphas|util|special|"
    r"linear|categor|character|synchron|symmetr)is(e|es|ed|ing|ation|ations|er|ers)"
)
SPACED_PERCENT = r"[\d}] %(?![\w(])"
EVERYWHERE = re.compile(rf"\b({'|'.join(DIALECT)}|{BRITISH})\b|{SPACED_PERCENT}", re.IGNORECASE)
RENDERED = re.compile(  # of reports and help; in other prose these are plain English
    r"\b(given class|chosen|left out (by|in turn)|each row left out|folds left out|equal votes|"
    r"without looking|answering always|"
    r"suspects?|such as|by itself|by themselves|is a copy of|copies of training|"
    r"the best possible|honest(ly)?|errs?\b|asked|answers?)\b|\d(\.\d+)?e\+\d",
    re.IGNORECASE,
)
NAME_PARTS = re.compile(
    r"asked|found|told|said|beside|anew|apart|telling|judge[ds]?|lonely|clouds?|bumps?|bells?|poll|"
    r"ballot|jury|electorate|neighbours?|centre|colour|pictures?"
)
ALLOWED: dict[str, tuple[str, ...]] = {  # file: what it may say, and why
    "CONTRIBUTING.md": ("is no mapping", "is no column", "of fewer than", "as of"),  # as it was
    "docs/references.md": ("neighbourhood", "neighbourhoods", "neighbours", "bell"),  # titles
    "src/lookalike/store/renamed.py": ("centre",),  # attributes of model files written before
}
NAMES_OF_PEERS = {"CondensedNearestNeighbour", "EditedNearestNeighbours"}  # of imbalanced-learn
CODE = sorted(SOURCE.rglob("*.py"))
NATIVE = sorted(path for path in (ROOT / "csrc").rglob("*") if path.suffix in (".cpp", ".hpp"))
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
PROSE = sorted([*(ROOT / "docs").rglob("*.md"), *(ROOT / name for name in PAGES)])
STATIC = sorted(
    path for path in (SOURCE / "web" / "static").rglob("*") if path.suffix in (".html", ".js")
)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines and texts that a reader of a file sees: strings, comments or all of it."""
    content = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        kinds = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", -1)}
        for token in tokenize.generate_tokens(io.StringIO(content).readline):
            if token.type in kinds:
                yield token.start[0], token.string
    elif path.suffix in (".cpp", ".hpp"):
        pattern = r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"'
        for match in re.finditer(pattern, content, re.DOTALL):
            yield content[: match.start()].count("\n") + 1, match[0]
    else:
        yield 1, content


def findings(path: Path) -> list[str]:
    """Return the words of a file that the field says otherwise, with their lines."""
    name = path.relative_to(ROOT).as_posix()
    allowed = ALLOWED.get(name, ())
    return [
        f"{name}:{line + text[: match.start()].count(chr(10))}: {match[0]!r}"
        for line, text in texts(path)
        for match in EVERYWHERE.finditer(text)
        if match[0].lower() not in allowed
    ]


@pytest.mark.parametrize(
    "folder", sorted({path.relative_to(SOURCE).parts[0] for path in CODE}), ids=str
)
def test_strings_and_comments_of_the_package_use_the_fields_terms(folder):
    files = [path for path in CODE if path.relative_to(SOURCE).parts[0] == folder]
    assert [finding for path in files for finding in findings(path)] == []


def test_comments_of_the_native_code_use_the_fields_terms():
    assert [finding for path in NATIVE for finding in findings(path)] == []


def test_the_docs_use_the_fields_terms():
    assert [finding for path in PROSE for finding in findings(path)] == []


def test_the_explorer_uses_the_fields_terms():
    assert [finding for path in STATIC for finding in findings(path)] == []


def test_files_classes_and_functions_are_named_in_the_fields_terms():
    odd = []
    for path in CODE:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        defined = [
            node.name
            for node in ast.walk(tree)
            if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        ]
        for name in (*path.relative_to(SOURCE).with_suffix("").parts, *defined):
            words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
            dialect = any(NAME_PARTS.fullmatch(word.lower()) for word in words)
            if dialect and name not in NAMES_OF_PEERS:
                odd.append(f"{path.relative_to(SOURCE)}: {name}")
    assert odd == []


SUBJECTS = {
    "space": "rocket orbit moon launch shuttle planet engine satellite astronaut gravity",
    "cooking": "oven flour butter sugar recipe boil salt pepper onion garlic",
}


def documents() -> tuple[list[str], list[str]]:
    """Return short texts of two subjects, with some words in common."""
    rng = np.random.default_rng(0)
    common = ["the", "a", "and", "with", "then", "very", "good", "long", "time", "day"]
    lines, labels = [], []
    for number in range(80):
        subject = list(SUBJECTS)[number % 2]
        words = [*rng.choice(SUBJECTS[subject].split(), 5), *rng.choice(common, 5)]
        lines.append(" ".join(rng.permutation(words)))
        labels.append(subject)
    return lines, labels


def study_of(kind: str, folder: Path) -> lookalike.Study:
    if kind == "text":
        path = folder / "texts.jsonl"
        rows = [{"text": t, "subject": s} for t, s in zip(*documents(), strict=True)]
        path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        return lookalike.study(path, target="subject", text="text", time="60s")
    if kind == "regression":
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        return lookalike.study(X[:200], 400 * y[:200].to_numpy(), time="60s")
    if kind in ("levels", "scores", "prices"):
        targets = {"levels": "Stufe", "scores": "punkte", "prices": "Preis €"}
        others = [name for name in targets.values() if name != targets[kind]]
        path = odd_table(folder / "odd.csv")
        return lookalike.study(path, target=targets[kind], drop=others, time="60s")
    X, y = load_iris(return_X_y=True, as_frame=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    return lookalike.study(X, None if kind == "exploratory" else names, time="60s")


def odd_table(path: Path) -> Path:
    """Write skewed counts, many categories, dates, constants, gaps, copies and odd headers."""
    rng = np.random.default_rng(7)
    lines = [
        ["Kunde", "Käufe", "größe_cm", "Ort", "Datum", "Región", "wait days", "Stufe", "punkte",
         "Preis €"]
    ]  # fmt: skip
    for number in range(150):
        a, b, noise = rng.normal(size=3)
        day = np.datetime64("2020-01-01") + int(rng.integers(0, 900))
        lines.append(
            [
                f"K{number:05d}", int(rng.lognormal(2 + a, 1.2)), round(50 + 10 * b, 2),
                f"city_{rng.integers(0, 40)}", str(day), "EU",
                "" if rng.random() < 0.08 else int(rng.geometric(0.05)),
                "high" if a + b + 0.3 * noise > 0.5 else "low",
                int(np.clip(round(12 + 6 * a + 3 * b + noise), 0, 24)),
                int(400_000 + 90_000 * a + 40_000 * b + 9_000 * noise),
            ]
        )  # fmt: skip
    lines += lines[1:6]
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(lines)
    return path


KINDS = ["classification", "regression", "exploratory", "text", "levels", "scores", "prices"]


@pytest.fixture(scope="session", params=KINDS)
def rendered(request, tmp_path_factory) -> tuple[str, dict[str, str]]:
    """Return the kind of a study, and all that its user reads, by file."""
    pytest.importorskip("matplotlib")
    folder = tmp_path_factory.mktemp(request.param)
    study = study_of(request.param, folder)
    lookalike.write_study(study, folder / "out")
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    body = re.sub(r"<style.*?</style>|<defs.*?</defs>", " ", page, flags=re.DOTALL)
    alternatives = " ".join(re.findall(r'(?:alt|aria-label)="([^"]*)"', body))
    words = unescape(re.sub(r"<[^>]*>", " ", body) + " " + alternatives)
    shown = {
        "report.html": " ".join(words.split()),
        "summary": str(study),
        "study.json": " ".join(_keys(json.loads(study.to_json()))),
    }
    for path in sorted((folder / "out").glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as file:
            shown[path.name] = " ".join(next(csv.reader(file)))
    return request.param, shown


def _keys(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, part in value.items():
            yield key.replace("_", " ")
            yield from _keys(part)
    elif isinstance(value, list):
        for part in value:
            yield from _keys(part)


def test_reports_use_no_dialect(rendered):
    _, shown = rendered
    odd = [
        f"{name}: …{text[max(0, match.start() - 30) : match.end() + 30]}…"
        for name, text in shown.items()
        for pattern in (EVERYWHERE, RENDERED)
        for match in pattern.finditer(text)
    ]
    assert odd == []


TERMS = {
    "levels": "balanced accuracy;permutation importance;identical rows;missing values",
    "scores": "RMSE;R²;distinct integers;prediction interval",
    "prices": "RMSE;R²;constant;prediction interval",
    "classification": "confusion matrix;precision;recall;support;F1;baseline;95% CI;held-out;"
    "hyperparameters;permutation importance;univariate score;leave-one-out;intrinsic dimension;"
    "TwoNN;estimated Bayes error;prototype selection;learning curve;validation error;"
    "classification",
    "regression": "RMSE;R²;MAE;baseline;95% CI;held-out;hyperparameters;permutation importance;"
    "intrinsic dimension;learning curve;validation error;regression",
    "exploratory": "intrinsic dimension;95% CI;silhouette;cluster;outlier;duplicate;exploratory",
    "text": "tf-idf;confusion matrix;precision;recall;support;baseline;95% CI;held-out;"
    "hyperparameters;univariate score;classification",
}


def test_reports_use_the_standard_terms(rendered):
    kind, shown = rendered
    page = shown["report.html"].lower()
    assert [term for term in TERMS[kind].split(";") if term.lower() not in page] == []
    assert "seed" in page
    if kind in ("classification", "text", "levels"):
        assert "held-out error" in shown["summary"].lower()
        assert "95% CI" in shown["summary"]
    if kind in ("regression", "scores", "prices"):
        assert all(term in shown["summary"] for term in ("RMSE", "R²", "95% CI", "baseline"))


def test_files_of_a_study_have_standard_headings(rendered):
    kind, shown = rendered
    assert {"flags", "outlier", "duplicate"} <= set(re.split(r"[ _]", shown["audit.csv"]))
    if kind != "exploratory":
        assert shown["predictions.csv"].split()[:3] == ["row", "y_true", "y_pred"]


def test_large_numbers_are_written_with_thousands_separators(rendered):
    kind, shown = rendered
    if kind in ("regression", "prices"):  # their targets are in the ten thousands
        assert re.search(r"RMSE\D{0,20}\d\d,\d{3}", shown["summary"])


def test_values_of_columns_are_shown_as_the_file_has_them(rendered):
    kind, shown = rendered
    if kind in ("levels", "scores", "prices"):
        page = shown["report.html"]
        assert re.search(r"Example: \d{4}-\d\d-\d\d (?!0)", page)
        assert not re.search(r"Example: \d+\.0\b|\dT\d\d:", page)


COMMANDS = [
    "audit {table} --target Stufe --time 20s",
    "audit {table} --target punkte --time 20s",
    "neighbors {table} -k 2",
    "reduce {table}",
    "reduce {table} --method map",
    "cluster {table} -k 3",
    "cluster {table} -k 2 --scale --mixture",
    "select {table} --target Stufe",
    "select {table} --target punkte --score f",
    "select {table} --target Stufe --wrapper -k best",
    "compare {table} --target punkte",
    "plan {table}",
    "plan --rows 1e9",
    "info {model}",
    "explain {model} {table} --row 3",
    "explain {neighbors} {table} --row 3",
    "predict {model} {table}",
    "index build {table} -o {folder}/index --keep Kunde --keep Ort --keep Región --keep Stufe "
    "--keep Datum --keep 'wait days'",
]


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> dict[str, Path]:
    """Return a table, and models of its prices and points."""
    folder = tmp_path_factory.mktemp("commands")
    table = odd_table(folder / "odd.csv")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    X = [[float(row[1]), float(row[2])] for row in rows[1:]]
    names = {"model": lookalike.Ridge(), "neighbors": lookalike.KNeighborsRegressor(3)}
    y = np.array([float(row[9]) for row in rows[1:]])
    frame = pd.DataFrame(X, columns=rows[0][1:3])
    for name, model in names.items():
        lookalike.save(model.fit(frame, y), folder / f"{name}.lookalike")
        names[name] = folder / f"{name}.lookalike"
    return {"table": table, "folder": folder, **names}


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("json_option", [[], ["--json"]], ids=["text", "json"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: " ".join(re.findall("^[a-z]+", one)))
def test_commands_use_the_fields_terms(command, json_option, files, capsys):
    pytest.importorskip("typer")
    from lookalike.cli.program import run

    words = [part.format(**files) for part in shlex.split(command)]
    option = [] if command.startswith("index") else json_option
    assert run([*words, *option]) in (0, None)
    printed = capsys.readouterr()
    if json_option:
        lines = [json.loads(line) for line in printed.out.splitlines() if line.startswith("{")]
        text = " ".join(key for line in lines for key in _keys(line)) + printed.err
    else:
        text = printed.out + printed.err
    text = text.replace(str(files["folder"]), "")
    odd = [match[0] for pattern in (EVERYWHERE, RENDERED) for match in pattern.finditer(text)]
    assert odd == []
    assert not re.search(r"\b1 (rows|neighbors|columns|models|repeats)\b", text)


def test_help_uses_the_fields_terms():
    typer = pytest.importorskip("typer")
    from lookalike.cli.program import app

    group = typer.main.get_command(app)
    commands = {"lookalike": group, **group.commands}
    odd = []
    for name, command in commands.items():
        lines = [command.help, *(getattr(option, "help", None) for option in command.params)]
        options = [part for option in command.params for part in (*option.opts, option.name)]
        for line in (*filter(None, lines), *options):
            odd += [
                f"{name}: {match[0]!r} in {line!r}"
                for pattern in (EVERYWHERE, RENDERED)
                for match in pattern.finditer(line)
            ]
    assert odd == []
    helps = {
        option.help
        for command in group.commands.values()
        for option in command.params
        if option.name == "target"
    }
    assert helps == {"The column to predict."}


def test_the_glossary_is_in_alphabetical_order_and_has_the_terms():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = re.findall(r"^\*\*(.+?)\*\*$", page, re.MULTILINE)
    keys = [term.lower().replace("²", "2") for term in terms]
    assert keys == sorted(keys)
    required = (
        "held-out error;wilson interval;bootstrap;leave-one-out;nested cross-validation;baseline;"
        "confusion matrix;precision;recall;support;f1;rmse;r2;mae;permutation importance;"
        "univariate score;intrinsic dimension (twonn);hub;outlier (local density);ordinal;tf-idf;"
        "estimated bayes error (nearest-neighbor bound);prototype selection (condensed 1-nn);"
        "duplicates, exact;duplicates, near;conflicting duplicates;train/test leakage;"
        "identifier column;gaussian mixture component;basis function;rbf network;ridge (l2);"
        'distance weighting (`weights="distance"`);hyperparameter;reference (float64);decision;'
        "reduction;engine;exact index;approximate search (lsh);recall of a search"
    )
    assert [term for term in required.split(";") if term not in keys] == []
