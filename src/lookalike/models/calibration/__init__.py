"""Probabilities made to mean what they say, on predictions for rows held out."""

from lookalike.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {"calibrated_pipeline": ["CalibratedPipeline"], "temperature": ["TemperatureScaling"]},
)
