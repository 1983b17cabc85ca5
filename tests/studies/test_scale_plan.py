"""The plan of work on many rows."""

import pytest

from lookalike.errors import ParameterError
from lookalike.studies import scale_plan as module


@pytest.fixture(autouse=True)
def few_rows(monkeypatch):
    monkeypatch.setattr(module, "ROWS_TO_MEASURE", 2_000)


def test_more_workers_take_less_time_and_hold_less(monkeypatch):
    monkeypatch.setattr(module, "measured", lambda _: [(stage, 1.0) for stage in module.stages()])
    one, many = (module.scale_plan(10**8, 32, workers) for workers in (1, 50))
    for alone, shared in zip(one, many, strict=True):
        assert shared.seconds < alone.seconds
        assert shared.worker_bytes <= alone.worker_bytes
    assert many[3].worker_bytes < one[3].worker_bytes / 40


def test_every_stage_is_measured():
    assert all(one.cpu_seconds > 0 for one in module.scale_plan(4_000, 4))


def test_no_rows_are_refused():
    with pytest.raises(ParameterError):
        module.scale_plan(0, 4)
