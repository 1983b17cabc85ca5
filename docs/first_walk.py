"""Walk through the README as a stranger does, from a wheel and without a compiler, and time it.

Run: python docs/first_walk.py WHEEL, or ``make walk``, which builds the wheel first. The commands
are those of the README, literally: a new environment is all they need, and of the other programs
of this machine they find curl alone. Then comes a csv of one's own: study, report, explorer, and a
prediction by curl, by the commands of docs/first_walk.md, where also stands what it prints.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "first_walk.md"
WRITE_TABLE = (  # the csv of one's own
    "from sklearn.datasets import load_iris; iris = load_iris(); "
    'names = [name.split(" (")[0].replace(" ", "_") for name in iris.feature_names]; '
    'lines = [",".join([*map(str, row), iris.target_names[label]]) '
    "for row, label in zip(iris.data, iris.target)]; "
    'open("flowers.csv", "w").write("\\n".join([",".join([*names, "species"]), *lines]))'
)
COMPILERS = ("cc", "c++", "gcc", "g++", "clang", "clang++", "cmake", "ninja", "make")
SECONDS_TO_START = 60
POLL_SECONDS = 0.2


def commands(readme: str) -> list[str]:
    """Return the commands of the first minute, in order; the last one serves."""
    block = re.search(r"## The first minute\n.*?```bash\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    return block[1].strip().splitlines()


def own_commands(page: str) -> list[str]:
    """Return the commands for a table of one's own: study, serve, and a request."""
    block = re.search(r"## A table of your own\n.*?```bash\n(.*?)```", page, re.DOTALL)
    assert block is not None
    return block[1].strip().replace("\\\n", "").splitlines()


def request(readme: str) -> str:
    """Return the curl command of the README."""
    line = re.search(r"`(curl -s localhost.*?)`", readme, re.DOTALL)
    assert line is not None
    return line[1]


def environment(folder: Path) -> dict[str, str]:
    """Return an environment of a new Python, and of curl; a compiler is not found there."""
    tools = folder / "tools"
    tools.mkdir()
    curl = shutil.which("curl")
    assert curl is not None, "curl is not installed"
    (tools / "curl").symlink_to(curl)
    path = f"{folder / 'venv' / 'bin'}{os.pathsep}{tools}"
    assert not any(shutil.which(name, path=path) for name in COMPILERS)
    return {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"}


def shell(command: str, folder: Path, around: dict[str, str]) -> str:
    """Run a command as it stands, and return what it prints; raise where it fails."""
    program = [shutil.which("bash") or "/bin/bash", "-c", command]
    done = subprocess.run(
        program, cwd=folder, env=around, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{command}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def walk(wheel: Path, folder: Path) -> list[tuple[str, float]]:
    """Return every step of the walk and the seconds it took."""
    readme = (ROOT / "README.md").read_text("utf-8")
    around, steps = environment(folder), []

    def timed(name: str, command: str) -> str:
        start = time.perf_counter()
        printed = shell(command, folder, around)
        steps.append((name, time.perf_counter() - start))
        return printed

    start = time.perf_counter()
    venv.create(folder / "venv", with_pip=True)
    steps.append(("python -m venv", time.perf_counter() - start))
    install = f"python -m pip install --quiet '{wheel}[web]'"
    pip_settings = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    around |= pip_settings
    timed("pip install 'lookalike[web]', from the wheel", install)
    *first, serve = commands(readme)
    for command in first:
        timed(command, command)
    served(serve, request(readme), folder, around, steps)
    own = PAGE.read_text("utf-8")
    shell(f"python -c '{WRITE_TABLE}'", folder, around)
    study, serve, ask = own_commands(own)
    timed(study, study)
    report = folder / "flowers_study" / "report.html"
    assert "<html" in report.read_text("utf-8"), "there is no report"
    served(serve, ask, folder, around, steps)
    assert "<script" in (folder / "page.html").read_text("utf-8"), "the explorer is not served"
    return steps


def served(serve: str, ask: str, folder: Path, around: dict[str, str], steps: list) -> None:
    """Start a service, wait for its page, ask for a prediction, and end it."""
    start = time.perf_counter()
    program = [shutil.which("bash") or "/bin/bash", "-c", f"exec {serve}"]
    with subprocess.Popen(program, cwd=folder, env=around, stdout=subprocess.DEVNULL) as server:
        try:
            wait_for_answer(folder, around)
            steps.append((f"{serve}, until its page is there", time.perf_counter() - start))
            start = time.perf_counter()
            answer = shell(ask, folder, around)
            steps.append((ask.split(" -H", maxsplit=1)[0], time.perf_counter() - start))
            assert '"predictions"' in answer, answer
        finally:
            server.terminate()


def wait_for_answer(folder: Path, around: dict[str, str]) -> None:
    """Wait until the service says that it is ready."""
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        probe = ["curl", "-sf", "-o", "page.html", "localhost:8765/"]
        if subprocess.run(probe, cwd=folder, env=around, check=False).returncode == 0:
            return
        time.sleep(POLL_SECONDS)
    raise SystemExit(f"the service did not answer within {SECONDS_TO_START} s")


def main() -> None:
    """Print the walk as a table."""
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        steps = walk(wheel, Path(name))
        size = sum(path.stat().st_size for path in Path(name, "venv").rglob("*") if path.is_file())
    print("| step | seconds |\n|---|---|")
    for step, seconds in steps:
        print(f"| `{step}` | {seconds:.1f} |")
    print(f"| all | {sum(seconds for _, seconds in steps):.1f} |")
    print(f"\nThe environment takes {size / 1e6:.0f} MB ({wheel.stat().st_size / 1e6:.1f} MB of "
          "it the wheel).")  # fmt: skip


if __name__ == "__main__":
    main()
