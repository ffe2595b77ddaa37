"""Writes docs/examples/: a page for each program of examples/ with its source, and one with that folder's README."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACE = ROOT / "docs" / "examples"
ROW = re.compile(r"^\| \[(\w+)\.py\]\([^)]*\) \| (.*?) \|", re.MULTILINE)
PAGE = """# {name}.py: {task}

`python -m facula run examples/{name}.py` runs the program in a checkout; [all examples](README.md) lists others.

```{{literalinclude}} /../examples/{name}.py
:language: python
```
"""


def page_of(path):
    """Return the page that shows a file of examples/, or None."""
    page = PLACE / path.relative_to(ROOT / "examples").with_suffix(".md")
    return page if page.parent == PLACE and path.suffix in (".py", ".md") else None


def write():
    """Write all pages."""
    readme = (ROOT / "examples" / "README.md").read_text()
    tasks = dict(ROW.findall(readme))
    programs = sorted((ROOT / "examples").glob("*.py"))
    PLACE.mkdir(exist_ok=True)
    for path in programs:
        task = tasks.get(path.stem, "training that resumes at the exact sample")
        (PLACE / f"{path.stem}.md").write_text(PAGE.format(name=path.stem, task=task))
    listed = "\n".join(path.stem for path in programs)
    (PLACE / "README.md").write_text(f"{readme}\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
