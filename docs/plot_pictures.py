"""Draw the example of every plot, and write the page that shows them: docs/plots/, by `make docs`.

Usage: python docs/plot_pictures.py
"""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import plot_examples

from lookalike.report import plots
from lookalike.report.plots.axes import figure_of

FOLDER = Path(__file__).parent / "plots"
RESOLUTION = 90  # pixels an inch
HEAD = """Plots
=====
Each draws on given axes (``ax=``), or on new ones, and returns them. The data are those of
scikit-learn; ``docs/plot_examples.py`` is the whole program.

"""


def main() -> None:
    """Write a picture of every plot, and the page."""
    FOLDER.mkdir(exist_ok=True)
    names = [name.removeprefix("plot_") for name in plots.__all__]
    for name in names:
        draw(name)
    (FOLDER / "index.rst").write_text(HEAD + "\n".join(map(section, names)), encoding="utf-8")


def draw(name: str) -> None:
    """Draw the example of a plot."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axes = getattr(plot_examples, name)()
    figure = figure_of(np.ravel(axes)[0])
    figure.savefig(FOLDER / f"{name}.png", dpi=RESOLUTION)


def section(name: str) -> str:
    """Return what the page says of a plot: what it is, its example, its picture."""
    title = f"plot_{name}"
    return f"""{title}
{"-" * len(title)}
.. autofunction:: lookalike.report.plots.{title}

.. literalinclude:: ../plot_examples.py
   :pyobject: {name}

.. image:: {name}.png
   :alt: The picture that this draws.

"""


if __name__ == "__main__":
    main()
