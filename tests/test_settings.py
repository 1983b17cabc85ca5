"""Settings hold for the process, and a `with` block takes them back."""

from __future__ import annotations

import os

import pytest
from test_import import run

import lookalike
from lookalike.errors import LookalikeError, ParameterError, ParameterTypeError
from lookalike.settings import parse_bytes, settings


def test_a_block_takes_its_settings_back():
    before = settings()
    with lookalike.config(memory="1GB", threads=1, progress=True) as inside:
        assert (inside.memory, inside.threads, inside.progress) == (10**9, 1, True)
        assert settings() == inside
    assert settings() == before


def test_a_block_takes_its_settings_back_after_an_error():
    before = settings()
    with pytest.raises(RuntimeError), lookalike.config(threads=1):
        raise RuntimeError
    assert settings() == before


def test_what_is_not_named_stays():
    with lookalike.config(memory="3GB"), lookalike.config(threads=1):
        assert settings().memory == 3 * 10**9


@pytest.mark.parametrize(
    ("size", "bytes_"),
    [("2GB", 2 * 10**9), ("512MiB", 512 * 2**20), ("1.5 kb", 1500), (7, 7), ("1T", 10**12)],
)
def test_sizes_are_read_as_people_write_them(size, bytes_):
    assert parse_bytes(size) == bytes_


@pytest.mark.parametrize("size", ["much", "-1GB", 0, "GB", "1.2.3GB", True])
def test_a_size_that_is_none_is_an_error_that_shows_one(size):
    with pytest.raises(ParameterError, match=r"is not a size. Give bytes, or text like '2GB'"):
        lookalike.config(memory=size)


@pytest.mark.parametrize(("threads", "error"), [(0, ParameterError), (1.5, ParameterTypeError)])
def test_threads_that_are_none_are_an_error(threads, error):
    with pytest.raises(error, match="threads="):
        lookalike.config(threads=threads)
    assert issubclass(error, LookalikeError)


def test_minus_one_means_every_usable_core():
    with lookalike.config(threads=-1) as inside:
        assert inside.threads == len(os.sched_getaffinity(0))


def test_omp_num_threads_is_honored():
    code = "from lookalike.settings import settings; print(settings().threads)"
    assert run(code, OMP_NUM_THREADS="1") == "1"


def test_a_wrong_setting_changes_nothing():
    before = settings()
    with pytest.raises(ParameterError):
        lookalike.config(threads=1, memory="none")
    assert settings() == before
