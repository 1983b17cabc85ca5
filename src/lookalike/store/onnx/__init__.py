"""Fitted models as ONNX: the same answers from any program that runs ONNX, without Python."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "export": ["export_onnx"],
    },
)
