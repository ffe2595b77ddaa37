"""Settings of the site: `nox -s docs`."""

import re
import sys
from collections import defaultdict
from pathlib import Path

from docutils.nodes import bullet_list
from sphinx.addnodes import toctree

sys.path.insert(0, str(Path(__file__).parent / "_site"))
import charts
import diagrams
import programs
import pytorch_names
import reference
import releases

project = "facula"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_site"]
suppress_warnings = ["ref.python"]  # docstrings name classes that several packages have
default_role = "code"  # Markdown's single backticks, in docstrings
myst_heading_anchors = 4
napoleon_use_ivar = True
napoleon_custom_sections = [("Fields", "Attributes")]
autodoc_typehints = "none"
autodoc_use_type_comments = False  # there are none
add_module_names = False
html_theme = "furo"
html_title = "facula"
html_static_path = ["_site/static"]
html_css_files = ["site.css"]
html_search_scorer = str(Path(__file__).parent / "_site" / "search.js")
html_domain_indices = html_copy_source = html_show_sourcelink = html_show_sphinx = html_show_copyright = False

REPOSITORY = "https://github.com/facula/facula/blob/main"
LINK = re.compile(r"(\]\()([^)#\s:]*)((?:#[^)\s]*)?\))")
FILE_NAME = re.compile(r"\[[\w-]+\.md\]\((/[^)]*)\)")  # a link whose text is a file's name: the site shows the title
START = "## What facula offers"  # the README's first heading that the start page leaves out
WRITTEN = {"explanation/benchmarks": charts.page, "reference/releases": releases.page}  # what follows introductions


def prepare(app, name, source):
    """Begin the start page with the README, let links to files outside docs/ lead to the repository, draw diagrams."""
    root, file = Path(app.srcdir).parent, Path(app.srcdir, app.env.doc2path(name))
    if name == "examples/README":
        file = root / name  # whose text it is

    def moved(link, file):
        path = (file.parent / link[2]).resolve() if link[2] else file
        if path == root / "README.md" and not link[3].startswith("#"):
            path = Path(app.srcdir, "index.md")  # which begins with it
        if path.is_relative_to(root / "examples"):
            path = programs.page_of(path) or path
        if not path.is_relative_to(app.srcdir):
            return f"{link[1]}{REPOSITORY}/{path.relative_to(root)}{link[3]}"
        return f"{link[1]}/{path.relative_to(app.srcdir)}{link[3]}" if link[2] else link[0]

    text = LINK.sub(lambda link: moved(link, file), source[0])
    if name == "index":
        readme = root / "README.md"
        text = LINK.sub(lambda link: moved(link, readme), readme.read_text().partition(START)[0]) + text
    text = FILE_NAME.sub(r"[](\1)", text)
    source[0] = diagrams.replace(text) + WRITTEN.get(name, str)()


def write_as_rest(app, what, name, value, options, lines):
    """Escape the lines of a docstring."""
    lines[:] = reference.docstring_as_rest(lines)


def add_aliases(app, env):
    """Enter all names of objects, and those of their members, in the inventory; the search shows the main ones."""
    objects = env.domains.python_domain.objects
    members = defaultdict(list)
    for name in objects:
        members[name.rpartition(".")[0]].append(name)
    for alias, home in reference.aliases().items():
        for name in (home, *members[home]):
            if name in objects:
                objects.setdefault(alias + name.removeprefix(home), objects[name]._replace(aliased=True))


def shorten_contents(app, name, template, context, doctree):
    """Build the tree of all pages, which each page shows, from titles only.

    Sphinx copies the headings and objects of all pages for each page, and then drops them: half of the time of a build.
    """
    env, whole = app.env, context.get("toctree")
    if whole is None:
        return
    if not hasattr(env, "titles_of_pages"):
        env.titles_of_pages = {page: contents.deepcopy() for page, contents in env.tocs.items()}
        for contents in env.titles_of_pages.values():
            for entry in contents:
                entry[1:] = [bullet_list("", *trees)] if (trees := list(entry.findall(toctree))) else []

    def of_titles(**options):
        contents, env.tocs = env.tocs, env.titles_of_pages
        try:
            return whole(**options)
        finally:
            env.tocs = contents

    context["toctree"] = of_titles


def setup(app):
    """Write the pages of the reference, and prepare the sources when they are read."""
    reference.write()
    programs.write()
    total = pytorch_names.write()
    WRITTEN["reference/pytorch-names"] = lambda: f"\n{pytorch_names.summary(total)}\n"
    app.connect("source-read", prepare)
    app.connect("env-updated", add_aliases)
    app.connect("html-page-context", shorten_contents, priority=400)  # before the theme
    app.connect("autodoc-process-docstring", write_as_rest, priority=600)
