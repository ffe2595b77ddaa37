"""Turns pages into notebooks and runs them: `nox -s docs_run`, with arguments `FOLDER [NAME ...]`.

The pages are all tutorials, and the how-to guides in `GUIDES`.
The notebooks are written with their results. A cell that fails ends the run with its error. A block that begins with
```python needs="jax" is left out where jax is not installed.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import jupytext
import nbformat
from nbclient import NotebookClient

GUIDES = ("metrics", "notebooks", "training-loops")
DOCS = Path(__file__).resolve().parents[1]
PAGES = [*sorted(DOCS.glob("tutorials/*.md")), *(DOCS / "how-to" / f"{name}.md" for name in GUIDES)]
SECONDS = 300  # for a cell


def needs(cell: nbformat.NotebookNode) -> list[str]:
    """Return the packages that a cell needs in addition to facula's."""
    return cell.metadata["needs"].split(",") if "needs" in cell.metadata else []


def run(page: Path, output: Path) -> float:
    """Run a page's notebook in an empty folder, write it to `output`, and return the seconds that it took."""
    notebook = jupytext.read(page, fmt="md")
    notebook.cells = [cell for cell in notebook.cells if all(map(find_spec, needs(cell)))]
    begun = perf_counter()
    with TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=SECONDS, kernel_name="python3", resources=resources).execute()
    nbformat.write(notebook, output / f"{page.stem}.ipynb")
    return perf_counter() - begun


def main() -> None:
    """Run the pages with the given names, or all."""
    output, *names = sys.argv[1:]
    Path(output).mkdir(parents=True, exist_ok=True)
    if unknown := set(names) - {page.stem for page in PAGES}:
        sys.exit(f"expected names of {', '.join(page.stem for page in PAGES)}; got {', '.join(sorted(unknown))}")
    for page in PAGES:
        if not names or page.stem in names:
            print(f"{page.stem}: {run(page, Path(output)):.1f} s", flush=True)


if __name__ == "__main__":
    main()
