"""Standard input for every command that takes DATA, and Ctrl-C at any moment."""

from __future__ import annotations

import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

ARGUMENTS = {
    "predict": ("predict", "MODEL", "-"),
    "explain": ("explain", "MODEL", "-", "--row", "3"),
    "neighbors": ("neighbors", "-", "-k", "2", "--drop", "kind"),
    "reduce": ("reduce", "-", "--drop", "kind"),
    "cluster": ("cluster", "-", "-k", "2", "--drop", "kind"),
    "select": ("select", "-", "--target", "kind"),
    "audit": ("audit", "-", "--target", "kind", "-k", "3"),
    "plan": ("plan", "-", "--drop", "kind"),
    "compare": ("compare", "-", "--target", "kind", "-k", "3"),
}
LONGEST_START_SECONDS = 60.0  # in which a program imports what it needs
TIMED = ("seconds", "seconds_scikit_learn", "build_seconds", "query_seconds")


def objects(table) -> bytes:
    lines = [json.dumps(row) for row in table.to_pylist()]
    return "\n".join(lines).encode()


def parquet(table) -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(table, file)
    return file.getvalue()


def arrow(table) -> bytes:
    file = io.BytesIO()
    with pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    return file.getvalue()


WRITTEN = {
    "csv": lambda path: path.read_bytes(),
    "csv.gz": lambda path: gzip.compress(path.read_bytes()),
    "jsonl": lambda path: objects(pa.csv.read_csv(path)),
    "parquet": lambda path: parquet(pa.csv.read_csv(path)),
    "arrow": lambda path: arrow(pa.csv.read_csv(path)),
}


@pytest.mark.parametrize("command", ARGUMENTS)
def test_every_command_reads_standard_input_as_it_reads_a_file(
    command, run_cli, stdin, model, flowers
):
    def result(data):
        named = {"MODEL": model, "-": data}
        code, out, stderr = run_cli(*(named.get(one, one) for one in ARGUMENTS[command]), "--json")
        assert code == 0, stderr
        return [without_times(json.loads(line)) for line in out.splitlines()]

    stdin(flowers.read_bytes())
    assert result("-") == result(flowers)


def without_times(result):
    if isinstance(result, dict):
        return {name: without_times(part) for name, part in result.items() if name not in TIMED}
    return [without_times(part) for part in result] if isinstance(result, list) else result


@pytest.mark.parametrize("kind", WRITTEN)
def test_standard_input_is_taken_for_what_its_first_bytes_say(kind, run_cli, stdin, model, flowers):
    stdin(WRITTEN[kind](flowers))
    code, out, stderr = run_cli("predict", model, "-")
    assert code == 0, stderr
    assert out == run_cli("predict", model, flowers)[1]


def test_standard_input_is_studied(run_cli, stdin, tmp_path, few_candidates):
    lines = [f"{i % 7 + 9 * (i % 2)};{i % 5};{'ab'[i % 2]}" for i in range(60)]
    stdin("\n".join(["wide;long;kind", *lines]).encode())
    code, out, _ = run_cli("study", "-", "--target", "kind", "--out", tmp_path / "out", "--json")
    result = json.loads(out)
    assert code == 0
    assert result["shape"]["n_rows"] == 60
    assert "delimiter" in [decision["about"] for decision in result["decisions"]]
    assert (tmp_path / "out" / "report.html").exists()


@pytest.mark.parametrize("content", [b"", b"PAR1 and no more", b"{not json", b"\x93NUMPY\x01"])
def test_what_is_wrong_with_standard_input_is_one_sentence(content, refused, stdin):
    stdin(content)
    assert "standard input" in refused("neighbors", "-")


def started(arguments, folder, **streams):
    command = [sys.executable, "-m", "lookalike", *map(str, arguments)]
    return subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **streams
    )


def stopped(running):
    """Return what was stderr by a program that is interrupted; it must end within seconds."""
    running.send_signal(signal.SIGINT)
    return running.communicate(timeout=60)


@pytest.mark.skipif(os.name != "posix", reason="signals differ")
@pytest.mark.parametrize(
    "arguments", [("study", "-"), ("predict", "MODEL", "-"), ("neighbors", "-")]
)
def test_an_interrupt_ends_the_wait_for_a_silent_pipe(arguments, model, tmp_path):
    folder = tmp_path / "here"
    folder.mkdir()
    there, silent = os.pipe()
    named = {"MODEL": model}
    running = started([named.get(one, one) for one in arguments], folder, stdin=there)
    os.close(there)
    wait_until_it_reads(running.pid)
    out, stderr = stopped(running)
    os.close(silent)
    assert (running.returncode, out, stderr) == (130, "", "lookalike: stopped\n")
    assert list(folder.iterdir()) == []


def wait_until_it_reads(pid: int) -> None:
    """Return once a program waits in a read of its standard input, as the system tells."""
    place = f"/proc/{pid}/wchan"
    if not os.path.exists(place):
        pytest.skip("the system does not tell what a program waits for")
    end = time.monotonic() + LONGEST_START_SECONDS
    while time.monotonic() < end:
        with open(place, encoding="ascii") as file:
            if "pipe" in file.read():
                return
        time.sleep(0.01)
    pytest.fail("the program does not wait for its standard input")
