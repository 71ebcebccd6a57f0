"""How Sphinx makes pages of what `python -m website` has put together."""

from pathlib import Path

import qoslib

project = "qoslib"
author = "The qoslib developers"
release = qoslib.__version__
language = "en-GB"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "website.extension",
]
exclude_patterns = ["**/files/**"]
templates_path = ["templates"]

myst_enable_extensions = ["attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 4
numpydoc_show_class_members = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"
toc_object_entries = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_title = "qoslib"
html_theme = "pydata_sphinx_theme"
html_static_path = ["../build/pages-source/_static"]
html_favicon = "page/icon.svg"
html_css_files = ["qoslib/site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_search_summary = True
html_search_scorer = str(Path(__file__).parent / "search_order.js")
html_permalinks_icon = "#"
html_context = {"default_mode": "auto"}
#: Pages without the list of their neighbours: it would take a quarter of the width.
WIDE = ("index", "docs/index", "search", "genindex", "scoreboard", "check/**", "lessons/**")
html_sidebars: dict[str, list[str]] = {name: [] for name in WIDE}
html_theme_options = {
    "logo": {"text": "qoslib"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "navigation_depth": 2,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["footer"],
    "footer_end": [],
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
}
copybutton_exclude = ".linenos, .gp, .go"
