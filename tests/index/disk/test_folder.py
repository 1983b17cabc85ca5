import json
import os
import resource
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from lookalike.errors import (
    MissingValueError,
    ModelFileError,
    ParameterError,
    SourceError,
    SourceMissingError,
    WriteError,
)
from lookalike.index.disk import DiskIndex, build_index_file, folder


@pytest.fixture
def rows():
    return np.random.default_rng(0).standard_normal((500, 6))


@pytest.fixture
def index(tmp_path, rows):
    np.save(tmp_path / "rows.npy", rows)
    build_index_file(tmp_path / "i", tmp_path / "rows.npy")
    return tmp_path / "i"


def file_of(index, suffix):
    return next(file for file in index.iterdir() if file.suffix == suffix)


def test_a_path_that_holds_a_nul_is_no_index():
    with pytest.raises(SourceMissingError, match="does not exist"):
        DiskIndex("a\0b")


def test_what_is_no_index_is_refused(tmp_path, index):
    with pytest.raises(SourceMissingError, match="does not exist"):
        DiskIndex(tmp_path / "none")
    with pytest.raises(ModelFileError, match="a file and not a folder"):
        DiskIndex(tmp_path / "rows.npy")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelFileError, match=r"without index\.json"):
        DiskIndex(tmp_path / "empty")
    (tmp_path / "empty" / "index.json").write_text("[1, 2]")
    with pytest.raises(ModelFileError, match="not that of an exact index"):
        DiskIndex(tmp_path / "empty")
    (tmp_path / "empty" / "index.json").write_text("{")
    with pytest.raises(ModelFileError, match="not JSON"):
        DiskIndex(tmp_path / "empty")
    listed = json.loads((index / "index.json").read_text())
    (index / "index.json").write_text(json.dumps({**listed, "version": 99}))
    with pytest.raises(ModelFileError, match="version 99"):
        DiskIndex(index)


def test_a_list_of_files_that_was_edited_is_refused(index):
    listed = json.loads((index / "index.json").read_text())
    listed["n_features"] = 5
    (index / "index.json").write_text(json.dumps(listed))
    with pytest.raises(ModelFileError, match=r"index\.json was changed"):
        DiskIndex(index)


def test_files_that_lead_elsewhere_are_refused(index):
    listed = json.loads((index / "index.json").read_text())
    listed.pop("checksum")
    listed["segments"][0]["codes"] = "../rows.npy"
    listed["checksum"] = folder.checksum_of(listed)
    (index / "index.json").write_text(json.dumps(listed))
    with pytest.raises(ModelFileError, match="it names the file"):
        DiskIndex(index)


def test_codes_that_were_cut_or_changed_are_refused(index, rows):
    codes = file_of(index, ".codes")
    content = codes.read_bytes()
    codes.write_bytes(content[:-10])
    with pytest.raises(ModelFileError, match="bytes"):
        DiskIndex(index)
    codes.write_bytes(bytes([content[0] ^ 1]) + content[1:])
    with pytest.raises(ModelFileError, match="block 0 of its codes was changed"):
        DiskIndex(index).query(rows[:2], 1)
    codes.unlink()
    with pytest.raises(ModelFileError, match="is missing"):
        DiskIndex(index)


def test_arrays_that_were_changed_are_refused(index):
    arrays = file_of(index, ".npz")
    arrays.write_bytes(arrays.read_bytes()[::-1])
    with pytest.raises(ModelFileError, match="was changed"):
        DiskIndex(index)


def test_rows_that_changed_after_the_build_are_refused(index, rows, tmp_path):
    opened = DiskIndex(index)
    np.save(tmp_path / "rows.npy", rows + 1)
    os.utime(tmp_path / "rows.npy", ns=(1, 1))
    with pytest.raises(SourceError, match="The rows changed after the index was built"):
        DiskIndex(index)
    with open(tmp_path / "rows.npy", "r+b") as file:
        file.truncate(300)
    with pytest.raises(SourceError, match="The rows changed after the index was built"):
        opened.query(rows[:2], 1)
    (tmp_path / "rows.npy").unlink()
    with pytest.raises(SourceError, match="cannot be read"):
        DiskIndex(index)


def test_rows_that_are_cut_in_the_midst_of_a_search_are_an_error_and_no_signal(index, rows):
    opened = DiskIndex(index)
    opened._segments[0].file.require_unchanged = lambda: None
    with open(index.parent / "rows.npy", "r+b") as file:
        file.truncate(300)
    with pytest.raises(SourceError, match="The rows changed"):
        opened.query(rows[-2:], 1)


def test_a_failed_build_leaves_nothing_and_a_failed_change_leaves_the_index(tmp_path, rows, index):
    bad = rows.copy()
    bad[499, 3] = np.nan
    with pytest.raises(MissingValueError, match="row 499, column 'x3'"):
        build_index_file(tmp_path / "new", bad)
    assert not (tmp_path / "new").exists()
    before = sorted(os.listdir(index))
    opened = DiskIndex(index)
    with pytest.raises(MissingValueError):
        opened.add(bad)
    assert sorted(set(os.listdir(index)) - {"lock"}) == sorted(set(before) - {"lock"})
    assert DiskIndex(index).n_rows == 500


def test_a_full_disk_is_a_sentence_and_leaves_the_index_as_it_was(tmp_path, rows, index):
    script = f"""
        import resource, signal, numpy as np
        from lookalike.errors import WriteError
        from lookalike.index.disk import DiskIndex, build_index_file
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        X = np.ones((5000, 20))
        for change in (lambda: build_index_file({str(tmp_path / "new")!r}, X),
                       lambda: DiskIndex({str(index)!r}).add(np.ones((9000, 6)))):
            try:
                change()
            except WriteError as error:
                print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=True
    )
    assert done.stdout.count("could not be written: File too large") == 2, done.stderr
    assert not (tmp_path / "new").exists()
    assert DiskIndex(index).n_rows == 500
    assert hasattr(resource, "RLIMIT_FSIZE")
    assert hasattr(signal, "SIGXFSZ")


def test_other_folders_and_files_are_never_overwritten(tmp_path, rows):
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.png").write_bytes(b"cat")
    with pytest.raises(WriteError, match="a folder of other things"):
        build_index_file(tmp_path / "photos", rows)
    (tmp_path / "letter").write_text("dear")
    with pytest.raises(WriteError, match="is a file"):
        build_index_file(tmp_path / "letter", rows)
    assert (tmp_path / "photos" / "cat.png").read_bytes() == b"cat"


def test_a_second_build_replaces_the_index_and_its_files(tmp_path, rows, index):
    build_index_file(index, rows[:100])
    assert DiskIndex(index).n_rows == 100
    suffixes = sorted(file.suffix for file in index.iterdir())
    assert suffixes == ["", ".codes", ".json", ".npz", ".npz", ".rows"]


def test_readers_keep_the_index_they_opened_while_it_changes(index, rows):
    before, writer = DiskIndex(index), DiskIndex(index)
    reference = before.query(rows[:3], 4)
    writer.add(rows[:50] * 0.5)
    writer.remove([0])
    found = before.query(rows[:3], 4)
    np.testing.assert_array_equal(found.row, reference.row)
    assert DiskIndex(index).n_rows == 549
    with pytest.raises(ParameterError, match="changed after it was opened"):
        before.remove([1])


def test_only_one_process_changes_an_index_at_a_time(index, rows):
    opened = DiskIndex(index)
    with folder.IndexFolder(index).changing(), pytest.raises(WriteError, match="being changed by"):
        opened.remove([3])
    assert DiskIndex(index).n_rows == 500


def test_several_processes_read_an_index_at_once(index, rows):
    script = f"""
        import numpy as np
        from lookalike.index.disk import DiskIndex
        rows = np.load({str(index.parent / "rows.npy")!r})
        print(DiskIndex({str(index)!r}).query(rows, 3).row.sum())
    """
    running = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    sums = {process.communicate()[0].strip() for process in running}
    assert sums == {str(DiskIndex(index).query(rows, 3).row.sum())}


FORGERIES = {  # of the first segment or of the whole list: what is set, and the field that is named
    "blocks": (("segments", 0, "layout", "map", "blocks"), 2**62, "layout.map.blocks"),
    "extra": (("segments", 0, "layout", "extra"), 200, "layout.extra"),
    "n_features": (("n_features",), 3, "n_features"),
    "features of rows": (("segments", 0, "rows", "n_features"), 3, "rows.n_features"),
    "negative offset": (("segments", 0, "rows", "offset"), -8, "rows.offset"),
    "offset beyond": (("segments", 0, "rows", "offset"), 2**62, "rows.size"),
    "rows": (("segments", 0, "rows", "n_rows"), 2**61, "rows.size"),
    "no rows": (("segments", 0, "rows", "n_rows"), 0, "rows.n_rows"),
    "dtype": (("segments", 0, "rows", "dtype"), "|O", "rows.dtype"),
    "a pipe": (("segments", 0, "rows", "path"), "rows.npy", "rows.path"),
    "block before": (("segments", 0, "blocks", 0, 0), -1, r"blocks\[0\]\[0\]"),
    "block elsewhere": (("segments", 0, "blocks", 0, 0), 64, r"blocks\[0\]\[0\]"),
    "block of no rows": (("segments", 0, "blocks", 0, 2), 2**60, r"rows.n_rows"),
    "poor rows": (("segments", 0, "blocks", 0, 3), 501, r"blocks\[0\]"),
    "checksum": (("segments", 0, "arrays_checksum"), "0", "arrays_checksum"),
    "scale": (("segments", 0, "scale"), 3.0, "scale"),
    "largest": (("segments", 0, "largest"), -1.0, "largest"),
    "no segment": (("segments",), [], "segments"),
    "null": (("columns",), None, "columns"),
    "names": (("columns",), ["x0"] * 6, "columns"),
    "metric": (("metric", "class"), "Gower", "metric"),
    "attribute": (("metric", "values", "form"), "dot", "metric"),
}


def forge(index, path, value):
    """Write another value into the list of an index, with the checksum that belongs to it."""
    listed = json.loads((index / "index.json").read_text())
    listed.pop("checksum")
    holder = listed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = value
    listed["checksum"] = folder.checksum_of(listed)
    (index / "index.json").write_text(json.dumps(listed))


@pytest.mark.parametrize("case", FORGERIES)
def test_a_forged_list_is_refused_and_the_field_is_named(index, case):
    path, value, field = FORGERIES[case]
    forge(index, path, value)
    with pytest.raises(ModelFileError, match=field):
        DiskIndex(index)


def test_segments_that_lie_over_each_other_are_refused(index, rows):
    DiskIndex(index).add(rows[:50])
    listed = json.loads((index / "index.json").read_text())
    forge(index, ("segments", 1), listed["segments"][0])
    with pytest.raises(ModelFileError, match="one file twice"):
        DiskIndex(index)


def test_rows_that_are_no_regular_file_are_refused_and_not_waited_for(index, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    forge(index, ("segments", 0, "rows", "path"), str(tmp_path / "pipe"))
    with pytest.raises(SourceError, match="not a regular file"):
        DiskIndex(index)


def test_files_of_others_in_the_folder_stay(index, rows):
    others = ["notes.npz", "mine.rows", "table.column", "0123456789abcdef.codes", "letter.txt"]
    for name in others:
        (index / name).write_text("mine")
    opened = DiskIndex(index)
    opened.add(rows[:50])
    opened.remove([0])
    build_index_file(index, rows[:100])
    bad = rows.copy()
    bad[3, 3] = np.nan
    with pytest.raises(MissingValueError):
        build_index_file(index, bad)
    assert all((index / name).read_text() == "mine" for name in others)
    assert len(list(index.iterdir())) == len(others) + 6  # list, lock, rows, codes and two arrays


def test_a_file_that_comes_while_a_build_fails_stays(tmp_path, rows, monkeypatch):
    def interrupted(*_, **__):
        (tmp_path / "new" / "letter.txt").write_text("mine")
        raise KeyboardInterrupt

    monkeypatch.setattr("lookalike.index.disk.build.write_segment", interrupted)
    with pytest.raises(KeyboardInterrupt):
        build_index_file(tmp_path / "new", rows)
    assert [file.name for file in (tmp_path / "new").iterdir()] == ["letter.txt"]


def test_what_a_killed_build_left_is_removed_by_the_next(index, rows):
    script = f"""
        import os, numpy as np
        from lookalike.index.disk.folder import IndexFolder
        folder = IndexFolder({str(index)!r})
        with folder.changing(), folder.new_file(".rows") as (name, file):
            file.write(bytes(1000))
            file.flush()
            os._exit(1)
    """
    before = set(os.listdir(index))
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=False)
    assert len(set(os.listdir(index)) - before - {"lock"}) == 1
    DiskIndex(index).remove([1])
    assert len(os.listdir(index)) == len(before)


def test_an_index_that_is_replaced_again_and_again_can_always_be_opened(tmp_path, rows):
    path = tmp_path / "i"
    build_index_file(path, rows)
    script = f"""
        import numpy as np
        from lookalike.index.disk import build_index_file
        rows = np.random.default_rng(0).standard_normal((500, 6))
        while True:
            build_index_file({str(path)!r}, rows, copy=True)
    """
    writer = subprocess.Popen([sys.executable, "-c", textwrap.dedent(script)])
    try:
        started, replaced = DiskIndex(path)._listed, 0
        while replaced < 30 and writer.poll() is None:
            opened = DiskIndex(path)
            assert opened.query(rows[:1], 1).row[0, 0] == 0
            replaced += opened._listed != started
            started = opened._listed
        assert replaced == 30
    finally:
        writer.kill()
        writer.wait()
