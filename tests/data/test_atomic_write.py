"""Whatever happens while a file is written: it is what it was, or what it should become."""

from __future__ import annotations

import errno
import os
import signal
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from lookalike.data.atomic_write import replace_file
from lookalike.errors import WriteError

PARTS = [b"new", b" and", b" whole"]

KILLED = """
import os, signal, sys
from lookalike.data import atomic_write as replace

step, path = int(sys.argv[1]), sys.argv[2]
done = 0

def counted(function):
    def run(*arguments, **options):
        global done
        if done == step:
            os.kill(os.getpid(), signal.SIGKILL)
        done += 1
        return function(*arguments, **options)
    return run

for name in ("open", "fdopen", "chmod", "fsync", "replace", "close"):
    setattr(os, name, counted(getattr(os, name)))

def write(file):
    for part in (b"new", b" and", b" whole"):
        counted(file.write)(part)
        counted(file.flush)()

replace.replace_file(path, write)
print(done)
"""


def write_parts(file):
    for part in PARTS:
        file.write(part)


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path):
    path = tmp_path / "a" / "model"
    replace_file(path, write_parts)
    replace_file(path, write_parts)
    assert path.read_bytes() == b"new and whole"
    assert names(path.parent) == ["model"]


def run_until(step, path):
    script = [sys.executable, "-c", KILLED, str(step), str(path)]
    return subprocess.run(script, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name != "posix", reason="there is no SIGKILL")
def test_a_process_killed_at_any_step_leaves_the_old_file_or_the_new(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    result = []
    for step in range(100):
        path.write_bytes(b"old")
        ended = run_until(step, path)
        if ended.returncode == 0:
            break
        assert ended.returncode == -signal.SIGKILL
        result.append(path.read_bytes())
        assert result[-1] in (b"old", b"new and whole")
        assert len(names(tmp_path)) <= 2  # what the one before left is gone
    assert len(result) > 8
    assert result[0] == b"old"
    assert result[-1] == b"new and whole"
    assert result == sorted(result, reverse=True)
    assert names(tmp_path) == ["model"]


@pytest.mark.parametrize("reason", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
@pytest.mark.parametrize("fault", range(9))
def test_a_fault_at_any_call_leaves_the_old_file(fault, reason, tmp_path, monkeypatch):
    path, calls = tmp_path / "model", 0
    path.write_bytes(b"old")

    def failing(function):
        def run(*arguments, **options):
            nonlocal calls
            calls += 1
            if calls == fault + 1:
                raise OSError(reason, os.strerror(reason))
            return function(*arguments, **options)

        return run

    def write(file):
        for part in PARTS:
            failing(file.write)(part)
            failing(file.flush)()

    for name in ("chmod", "fsync", "replace"):
        monkeypatch.setattr(os, name, failing(getattr(os, name)))
    with pytest.raises(WriteError, match=f"model could not be written: {os.strerror(reason)}"):
        replace_file(path, write)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


def test_a_full_disk_is_said(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "model"
    path.write_bytes(b"old")
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limit[1]))
    try:
        with pytest.raises(WriteError, match="too large"):
            replace_file(path, lambda file: file.write(bytes(100_000)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        signal.signal(signal.SIGXFSZ, before)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_an_interrupt_leaves_the_old_file(error, tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def stop(file):
        file.write(b"half")
        raise error

    with pytest.raises(error):
        replace_file(path, stop)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["model"]


def test_a_folder_that_may_not_be_written_is_said(tmp_path):
    folder = tmp_path / "locked"
    folder.mkdir()
    folder.chmod(0o500)
    if os.access(folder, os.W_OK):
        pytest.skip("this user may write everywhere")
    with pytest.raises(WriteError, match="Permission denied"):
        replace_file(folder / "model", write_parts)


def test_a_place_where_no_file_can_be_is_said():
    with pytest.raises(WriteError, match="could not be written"):
        replace_file("/proc/lookalike/model", write_parts)


def test_a_link_is_replaced_and_what_it_points_to_is_left_alone(tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"precious")
    (tmp_path / "link").symlink_to(other)
    replace_file(tmp_path / "link", write_parts)
    assert other.read_bytes() == b"precious"
    assert not (tmp_path / "link").is_symlink()
    assert (tmp_path / "link").read_bytes() == b"new and whole"


def test_a_folder_is_not_replaced(tmp_path):
    for path in (tmp_path, tmp_path / "x" / "..", "."):
        (tmp_path / "x").mkdir(exist_ok=True)
        with pytest.raises(WriteError, match="folder"):
            replace_file(path, write_parts)


@pytest.mark.parametrize("name", ["mödel ☃", "m" * 255, "a b'\"$(x)\n", "-o", "..model"])
def test_any_name_that_a_file_may_have_will_do(name, tmp_path):
    replace_file(tmp_path / name, write_parts)
    assert names(tmp_path) == [name]


@pytest.mark.parametrize("name", ["m" * 256, "a\0b"])
def test_a_name_that_no_file_may_have_is_said(name, tmp_path):
    with pytest.raises(WriteError, match=r"written|null"):
        replace_file(tmp_path / name, write_parts)
    assert names(tmp_path) == []


def test_new_files_have_usual_rights_and_old_ones_keep_theirs(tmp_path):
    path = tmp_path / "model"
    before = os.umask(0o027)
    try:
        replace_file(path, write_parts)
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        path.chmod(0o604)
        replace_file(path, write_parts)
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


def test_what_another_writer_is_still_writing_is_not_swept_away(tmp_path):
    path = tmp_path / "model"

    def write(file):
        replace_file(path, lambda other: other.write(b"inner"))
        file.write(b"outer")

    replace_file(path, write)
    assert path.read_bytes() == b"outer"
    assert names(tmp_path) == ["model"]


def test_many_writers_of_one_file_leave_one_whole_file(tmp_path):
    path = tmp_path / "model"
    texts = [bytes([65 + i]) * 10_000 for i in range(16)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda text: replace_file(path, lambda file: file.write(text)), texts))
    assert path.read_bytes() in texts
    assert names(tmp_path) == ["model"]
