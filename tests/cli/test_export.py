"""`lookalike export` writes an ONNX file, and refuses what it cannot write in one sentence."""

from __future__ import annotations

import pandas as pd
import pytest

import lookalike


def test_the_exported_file_answers_as_the_model(run_cli, model, flowers, tmp_path):
    pytest.importorskip("onnx", reason="onnx is not installed")
    runtime = pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    code, out, stderr = run_cli("export", model, tmp_path / "model.onnx")
    assert code == 0, stderr
    assert out == f"ONNX model: {tmp_path / 'model.onnx'}\n"
    frame = pd.read_csv(flowers)[["wide", "long"]]
    session = runtime.InferenceSession(tmp_path / "model.onnx")
    (label,) = session.run(["label"], {"X": frame.to_numpy(float)})
    assert label.tolist() == lookalike.load(model).predict(frame).tolist()


def test_another_format_is_refused(refused, model, tmp_path):
    assert "does not end in .onnx" in refused("export", model, tmp_path / "model.pmml")


def test_the_missing_extra_is_named(refused, model, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    assert "lookalike[onnx]" in refused("export", model, tmp_path / "model.onnx")
