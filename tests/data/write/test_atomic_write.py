"""Whatever happens while a file is written: it is what it was, or what it should become."""

from __future__ import annotations

import ast
import errno
import io
import os
import re
import signal
import socket
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import lookalike
from lookalike.data import fifo
from lookalike.data.write import atomic_write
from lookalike.data.write.atomic_write import (
    descriptor_of,
    replace_file,
    require_writable,
    staged_files,
)
from lookalike.errors import ParameterTypeError, WriteError

PARTS = [b"new", b" and", b" whole"]

KILLED = """
import os, signal, sys
from lookalike.data.write import atomic_write as replace

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


@pytest.mark.parametrize("folder", [False, True])
def test_an_interrupt_while_the_new_file_is_created_leaves_nothing(folder, tmp_path, monkeypatch):
    def interrupted(handle):
        raise KeyboardInterrupt

    monkeypatch.setattr(atomic_write, "try_lock", interrupted)
    block = staged_files(tmp_path / "study", ["study.json"])
    write = block.__enter__ if folder else lambda: replace_file(tmp_path / "file", print)
    with pytest.raises(KeyboardInterrupt):
        write()
    assert list(tmp_path.iterdir()) == []


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


def test_the_file_that_a_link_points_to_is_replaced_and_the_link_stays(tmp_path):
    other = tmp_path / "elsewhere" / "other"
    other.parent.mkdir()
    (tmp_path / "link").symlink_to(other)
    for _ in range(2):  # the file is absent, then there
        replace_file(tmp_path / "link", write_parts)
        assert (tmp_path / "link").is_symlink()
        assert other.read_bytes() == b"new and whole"
    assert names(tmp_path) == ["elsewhere", "link"]
    assert names(other.parent) == ["other"]


def linked(path, link):
    """Return the path, or a symbolic link to it."""
    if not link:
        return path
    path.with_name("link").symlink_to(path)
    return path.with_name("link")


@pytest.mark.parametrize("link", [False, True])
def test_a_pipe_is_written_to_as_a_stream_and_stays_a_pipe(link, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    require_writable(linked(pipe, link))
    with ThreadPoolExecutor(1) as pool:
        read = pool.submit(pipe.read_bytes)
        replace_file(tmp_path / "link" if link else pipe, write_parts)
        assert read.result(timeout=20) == b"new and whole"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert len(names(tmp_path)) == 1 + link


def test_a_pipe_that_nobody_reads_is_refused_and_stays_a_pipe(tmp_path, monkeypatch):
    monkeypatch.setattr(fifo, "PIPE_OPEN_SECONDS", 0.05)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WriteError, match="no program reads from"):
        replace_file(tmp_path / "pipe", write_parts)
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("link", [False, True])
def test_a_socket_is_refused_and_stays_a_socket(link, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # as the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        path = linked(tmp_path / "socket", link)
        for write in (require_writable, lambda path: replace_file(path, write_parts)):
            with pytest.raises(WriteError, match="is a socket"):
                write(path)
    assert stat.S_ISSOCK((tmp_path / "socket").stat().st_mode)


def device(path, number):
    """Make the character device 1, number: 3 drops what it is given, 7 is always full."""
    try:
        os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, number))
        os.close(os.open(path, os.O_WRONLY))
    except (AttributeError, OSError):
        pytest.skip("this user may make no devices")


@pytest.mark.parametrize("link", [False, True])
def test_a_device_is_written_to_as_a_stream_and_stays_a_device(link, tmp_path):
    device(tmp_path / "null", 3)
    path = linked(tmp_path / "null", link)
    require_writable(path)
    replace_file(path, write_parts)
    assert stat.S_ISCHR((tmp_path / "null").stat().st_mode)


def test_a_device_that_is_full_is_said_and_stays_a_device(tmp_path):
    device(tmp_path / "full", 7)
    with pytest.raises(WriteError, match="No space left"):
        replace_file(tmp_path / "full", write_parts)
    assert stat.S_ISCHR((tmp_path / "full").stat().st_mode)


def test_a_disk_is_refused(tmp_path):
    path = tmp_path / "disk"
    try:
        os.mknod(path, stat.S_IFBLK | 0o600, os.makedev(7, 250))
    except (AttributeError, OSError):
        pytest.skip("this user may make no devices")
    with pytest.raises(WriteError, match="is a disk"):
        replace_file(path, write_parts)
    assert stat.S_ISBLK(path.stat().st_mode)


def test_what_becomes_a_pipe_while_a_file_is_written_is_not_replaced(tmp_path):
    def write(file):
        os.mkfifo(tmp_path / "model")
        write_parts(file)

    with pytest.raises(WriteError, match="not a regular file any more"):
        replace_file(tmp_path / "model", write)
    assert stat.S_ISFIFO((tmp_path / "model").stat().st_mode)
    assert names(tmp_path) == ["model"]


def test_an_open_file_is_written_to_where_it_stands():
    file = io.BytesIO()
    file.write(b"before, ")
    replace_file(file, write_parts)
    assert file.getvalue() == b"before, new and whole"


@pytest.mark.parametrize("file", [None, 3, b"model", object(), io.StringIO()])
def test_what_is_neither_a_path_nor_a_binary_file_is_refused(file):
    with pytest.raises(ParameterTypeError, match=r"nor an open file|as text"):
        replace_file(file, write_parts)


def test_a_closed_file_is_refused():
    file = io.BytesIO()
    file.close()
    with pytest.raises(ParameterTypeError, match="nor an open file"):
        replace_file(file, write_parts)


@pytest.mark.parametrize("redirected", [False, True])
def test_the_device_of_an_open_file_writes_to_that_file(redirected, tmp_path):
    if not os.path.exists("/dev/fd"):
        pytest.skip("open files have no names")
    if redirected:
        handle = os.open(tmp_path / "log", os.O_RDWR | os.O_CREAT)
        os.write(handle, b"before, ")
    else:
        there, handle = os.pipe()
    require_writable(f"/dev/fd/{handle}")
    (tmp_path / "link").symlink_to(f"/dev/fd/{handle}")
    assert descriptor_of(tmp_path / "link") == handle
    replace_file(tmp_path / "link", write_parts)
    os.close(handle)
    if redirected:
        assert (tmp_path / "log").read_bytes() == b"before, new and whole"
    else:
        assert os.read(there, 100) == b"new and whole"
        os.close(there)


def test_a_place_is_checked_without_changing_anything(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    for path in (tmp_path / "new" / "deep" / "model", tmp_path / "model", tmp_path / "file"):
        require_writable(path)
    assert names(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"old"


@pytest.mark.parametrize("name", ["file/model", "", "m" * 256, "a\0b"])
def test_a_place_that_cannot_be_written_is_said_when_it_is_checked(name, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(WriteError):
        require_writable(f"{tmp_path}/{name}")
    with pytest.raises(WriteError, match="could not be written"):
        require_writable("/proc/lookalike/model")
    assert names(tmp_path) == ["file"]


def test_staged_files_are_put_into_a_folder_together_and_other_files_stay(tmp_path):
    for name in ("mine", "b", "c"):
        (tmp_path / name).write_text("old")
    with staged_files(tmp_path, ("a", "b", "c")) as staging:
        (staging / "a").write_text("new")
        (staging / "b").write_text("new")
        assert (tmp_path / "b").read_text() == "old"
    assert {name: (tmp_path / name).read_text() for name in names(tmp_path)} == {
        "a": "new",
        "b": "new",
        "mine": "old",
    }


@pytest.mark.parametrize("there", [False, True])
def test_staged_files_are_dropped_where_one_fails(there, tmp_path):
    folder = tmp_path / "out"
    if there:
        folder.mkdir()
        (folder / "a").write_text("old")

    def interrupted():
        with staged_files(folder, ("a",)) as staging:
            (staging / "a").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert names(tmp_path) == (["out"] if there else [])
    assert not there or (folder / "a").read_text() == "old"


def test_staged_files_never_replace_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "b")
    staged = staged_files(tmp_path, ("a", "b"))
    staging = staged.__enter__()
    for name in ("a", "b"):
        (staging / name).touch()
    with pytest.raises(WriteError, match="not a regular file"):
        staged.__exit__(None, None, None)
    assert names(tmp_path) == ["b"]


def test_the_folder_that_another_writer_is_filling_is_not_swept_away(tmp_path):
    with staged_files(tmp_path, ("a",)) as outer:
        with staged_files(tmp_path, ("a",)) as inner:
            (inner / "a").write_text("inner")
        (outer / "a").write_text("outer")
    assert (tmp_path / "a").read_text() == "outer"
    assert names(tmp_path) == ["a"]


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


WRITERS = {"write_text", "write_bytes", "mkdtemp", "mkstemp", "NamedTemporaryFile", "rename"}


def writing_calls(path):
    """Give the calls of a file that write to a place by its name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        modes = [one.value for one in given if isinstance(one, ast.Constant)]
        opens = name in ("open", "fdopen") and any(
            isinstance(mode, str) and re.fullmatch(r"[rwaxbt+]*[wax+][bt+]*", mode)
            for mode in modes
        )
        moves = ast.unparse(node.func) in ("os.replace", "shutil.move", "shutil.copy")
        if name in WRITERS or opens or moves:
            yield f"{path.name}:{node.lineno}: {name}"


def test_files_are_written_in_one_place_alone():
    root = Path(lookalike.__file__).parent
    door = root / "data" / "write" / "atomic_write.py"
    others = {  # which open pipes, append lines, or write new files that nobody else has seen
        root / "data" / "fifo.py",
        root / "data" / "sources" / "remote.py",
        root / "index" / "disk" / "folder.py",
        root / "cli" / "program.py",
        root / "web" / "explorer" / "open.py",
        root / "web" / "request_log.py",
        root / "studies" / "select" / "work_store.py",
        root / "workers" / "shared.py",
        root / "workers" / "worker.py",
    }
    assert list(writing_calls(door))
    modules = set(root.rglob("*.py")) - {door} - others
    assert [call for path in sorted(modules) for call in writing_calls(path)] == []
