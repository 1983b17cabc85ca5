"""Any arguments of the command line end in a result or in one sentence: no internal error."""

# ruff: noqa: E501 - tables of values

from __future__ import annotations

import io
import json
import sys
import warnings

import pytest
import typer.main
from fuzz.mutations import ending, fuzzed
from hypothesis import given
from hypothesis import strategies as st

from lookalike import KNeighborsClassifier, save
from lookalike.cli.program import app, run

COMMANDS = {  # by their words, such as "index build"
    " ".join([name, *([inner] if inner else [])]): command
    for name, group in typer.main.get_command(app).commands.items()
    for inner, command in getattr(group, "commands", {"": group}).items()
}
SLOW = {"study", "serve"}
TABLE = "a,b,kind\n" + "".join(f"{i % 7},{i * i % 5},{'xy'[i % 2]}\n" for i in range(24))
FILES = {
    "table.csv": TABLE,
    "numbers.csv": "a,b\n" + "".join(f"{i % 7},{i * i % 5}\n" for i in range(24)),
    "empty.csv": "",
    "header.csv": "a,b,kind\n",
    "ragged.csv": "a,b\n1,2\n3\n",
    "missing.csv": "a,b,kind\n1,,x\n,2,y\n3,4,\n5,6,x\n",
    "texts.jsonl": "".join(
        json.dumps({"a": f"word {i} cat", "kind": "xy"[i % 2]}) + "\n" for i in range(12)
    ),
    "wrong.npy": "no array",
    "wrong.parquet": "PAR1",
    "folder.csv/inside": "x",
}
NUMBERS = [
    "0",
    "1",
    "2",
    "3",
    "5",
    "-1",
    "100",
    "1000000",
    "9223372036854775808",
    "1.5",
    "nan",
    "inf",
    "x",
    "",
    "1e3",
    "0x1",
]
WORDS = [
    "a", "b", "kind", "nowhere", "", " ", "\0", "ä", "\x1b[31m", "a,b", "None", "euclidean", "cosine", "gower",
    "haversine", "jaccard", "auto", "classification", "regression", "mutual_info", "pearson", "latin-1", "rot13",
    ";", ",", ".", "2GB", "10KB", "-5GB", "1e999GB", "exact", "lsh", "kd_tree", "error", "loo", "--", "-", "--json",
]  # fmt: skip
DATA = [
    *FILES,
    "model.lookalike",
    "absent.csv",
    "iris",
    "irsi",
    "-",
    ".",
    "",
    "a\0b",
    "x" * 300,
    "data.xyz",
]
OUTS = [
    "out.csv",
    "deep/out.csv",
    "out.xls",
    "out.svg",
    "out.png",
    "model.out",
    "",
    "table.csv",
    "folder.csv",
    "a\0.csv",
    "ä.csv",
    "x" * 300,
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder of small files, good and bad."""
    return tmp_path_factory.mktemp("cli")


def write_files(folder):
    """Write the files again, which a command may have replaced."""
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    rows = [[i % 7, i * i % 5] for i in range(24)]
    save(
        KNeighborsClassifier(3).fit(rows, ["xy"[i % 2] for i in range(24)]),
        folder / "model.lookalike",
    )


def values_of(parameter):
    """Return what an option or argument is given: mostly something of its type, and anything."""
    if parameter.name in ("out", "plot", "model") and parameter.param_type_name == "option":
        return st.sampled_from(OUTS)
    if parameter.param_type_name == "argument" or parameter.name in ("query", "test"):
        return st.sampled_from([*DATA[:2], *DATA])
    kind = str(getattr(parameter, "type", None) or getattr(parameter, "bare_type", ""))
    number = "int" in kind.lower() or "float" in kind.lower()
    return st.sampled_from([*NUMBERS, *WORDS[:3]] if number else [*WORDS, *NUMBERS[:3]])


@st.composite
def command_lines(draw, names):
    """Draw a command with its arguments and a few of its options."""
    name = draw(st.sampled_from(sorted(names)))
    line: list[str] = []
    if not draw(st.integers(0, 9)):
        line += draw(
            st.sampled_from(
                [
                    ["--memory", "10KB"],
                    ["--memory", "x"],
                    ["--threads", "1"],
                    ["--threads", "0"],
                    ["--debug"],
                    ["--nothing"],
                ]
            )
        )
    line += name.split()
    parameters = COMMANDS[name].params
    for parameter in parameters:
        if parameter.param_type_name == "argument" and draw(st.integers(0, 19)):
            line.append(draw(values_of(parameter)))
    options = [one for one in parameters if one.param_type_name == "option" and one.name != "help"]
    chosen = st.lists(st.sampled_from(options), max_size=4) if options else st.just([])
    for option in draw(chosen):
        line.append(draw(st.sampled_from([*option.opts, *option.secondary_opts])))
        if not option.is_flag:
            line.append(draw(values_of(option)))
    return line


INPUTS = st.sampled_from([TABLE.encode(), b"", b"\xff\xfe", b'{"a": 1}\n'])


@fuzzed(40)
@given(line=command_lines(set(COMMANDS) - SLOW), given_input=INPUTS)
def test_arguments_end_in_a_result_or_in_a_sentence(folder, line, given_input):
    check_ending(folder, line, given_input)


@fuzzed(5)
@given(line=command_lines(SLOW), given_input=INPUTS)
def test_arguments_of_studies_and_of_the_service_end_in_a_result_or_in_a_sentence(
    folder, line, given_input
):
    check_ending(folder, ["iris.csv" if word == "iris" else word for word in line], given_input)


def asks_for_json(line):
    """Return whether --json stands in a line as a flag, and not as the value of an option."""
    with_value = {
        name
        for command in COMMANDS.values()
        for option in command.params
        if not getattr(option, "is_flag", False)
        for name in option.opts
    }
    pairs = zip(["", *line], line, strict=False)
    return any(word == "--json" and before not in with_value for before, word in pairs)


def check_ending(folder, line, given_input):
    """Run a command, and fail if it ends in neither a result nor a sentence."""
    write_files(folder)
    with pytest.MonkeyPatch.context() as patch, ending(), warnings.catch_warnings():
        patch.chdir(folder)
        patch.setattr("lookalike.web.server.serve", lambda _, __, listener: listener.close())
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(given_input)))
        shown, errors = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "12")
        patch.setattr(sys, "stdout", shown)
        patch.setattr(sys, "stderr", errors)
        warnings.simplefilter("ignore")
        code = run(line)
    text = errors.buffer.getvalue().decode()
    assert code in ((0, 1, 2) if "compare" in line else (0, 2)), (line, code, text)
    assert "internal error" not in text, (line, text)
    assert "--debug" in line or "Traceback" not in text, (line, text)
    if code == 0 and asks_for_json(line) and "--help" not in line:
        assert all(
            isinstance(json.loads(one), dict)
            for one in shown.buffer.getvalue().decode().splitlines()
        ), line
    if code == 2:
        assert text.strip(), line
