"""How Sphinx makes a site of the pages of this repository (scripts/site). Its source folder is the repository."""

project = "Neso"
author = "the authors of Neso"
copyright = "the authors of Neso; MIT licence"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "docs/index"
include_patterns = ["README.md", "docs/*.md", "docs/reference/*.md", "src/*/README.md", "test/README.md", "bench/NOTES.md", "bench/history.md"]
html_theme = "alabaster"
html_theme_options = {"page_width": "1100px", "sidebar_width": "240px", "fixed_sidebar": True,
                      "description": "kernels in the Triton tile language, compiled and run"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchbox.html"]}
html_title = "Neso"
html_copy_source = False
myst_heading_anchors = 4
# A link to a file that is no page goes to a copy of the file; one to a folder has nothing to go to.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]


def fences(app, docname, source):
    """A fence's first word is its language; the words behind it are for the test of the pages."""
    import re
    source[0] = re.sub(r"^( *```)(sh|console|python|c|text|cmake)( [a-z ]+)$", r"\1\2", source[0], flags=re.M)


def setup(app):
    app.connect("source-read", fences)
