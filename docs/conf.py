"""Settings of the site: `nox -s docs`."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_site"))
import reference

project = "facula"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_site"]
suppress_warnings = ["ref.python"]  # docstrings name classes that several packages have
default_role = "code"  # Markdown's single backticks, in docstrings
myst_heading_anchors = 4
napoleon_use_ivar = True
napoleon_custom_sections = [("Fields", "Attributes")]
autodoc_typehints = "none"
add_module_names = False
html_theme = "furo"
html_title = "facula"
html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False

REPOSITORY = "https://github.com/facula/facula/blob/main"
LINK = re.compile(r"(\]\()([^)#\s:]*)((?:#[^)\s]*)?\))")
START = "## What facula offers"  # the README's first heading that the start page leaves out


def prepare(app, name, source):
    """Begin the start page with the README, let links to files outside docs/ lead to the repository, show diagrams."""
    root, file = Path(app.srcdir).parent, Path(app.srcdir, app.env.doc2path(name))

    def moved(link, file):
        path = (file.parent / link[2]).resolve() if link[2] else file
        if not path.is_relative_to(app.srcdir):
            return f"{link[1]}{REPOSITORY}/{path.relative_to(root)}{link[3]}"
        return f"{link[1]}/{path.relative_to(app.srcdir)}{link[3]}" if link[2] else link[0]

    text = LINK.sub(lambda link: moved(link, file), source[0])
    if name == "index":
        readme = root / "README.md"
        text = LINK.sub(lambda link: moved(link, readme), readme.read_text().partition(START)[0]) + text
    source[0] = text.replace("```mermaid", "```text")


def write_as_rest(app, what, name, value, options, lines):
    """Escape the lines of a docstring."""
    lines[:] = map(reference.as_rest, lines)


def setup(app):
    """Write the pages of the reference, and prepare the sources when they are read."""
    reference.write()
    app.connect("source-read", prepare)
    app.connect("autodoc-process-docstring", write_as_rest, priority=600)
