"""How the pages are built: `make docs`."""

import sys
from importlib.metadata import version as version_of
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

project = "lookalike"
author = "the lookalike developers"
release = version = version_of("lookalike")
extensions = [
    "math_without_network",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
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
autosummary_generate = True
autosummary_ignore_module_all = False
templates_path = ["templates"]
napoleon_custom_sections = [("Attributes", "params_style")]  # names keep their underscore
exclude_patterns = ["_build", "templates"]
html_theme = "furo"
html_title = "lookalike"


def setup(app):
    """Draw plots and gallery, add what is related to every object, link keys to references."""
    import gallery_page
    import notebook_pages
    import plot_pictures
    import related

    for write in (plot_pictures.main, gallery_page.main, notebook_pages.write_pages):
        app.connect("builder-inited", lambda _, write=write: write(), priority=1)
    app.connect("autodoc-process-docstring", related.add_related, priority=900)
    app.connect("doctree-resolved", related.link_citations)
