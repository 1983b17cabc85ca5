"""How the pages are built: `make docs`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "lookalike"
author = "the lookalike developers"
release = version = version_of("lookalike")
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
]
myst_enable_extensions = ["deflist", "dollarmath", "amsmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header", "ref.python", "ref.ref", "ref.term"]  # of inherited texts
autodoc_default_options = {
    "members": True,
    "exclude-members": "set_fit_request, set_transform_request, set_score_request, set_callbacks",
}
autodoc_typehints = "none"
napoleon_use_ivar = True
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "lookalike"


def setup(app):
    """Draw the plots and write their page, before the pages are read."""
    from plot_pictures import main

    app.connect("builder-inited", lambda _: main())
