"""Checks the built site: `python docs/_site/check.py FOLDER`, after Sphinx has written it.

The start page must be small, pages must not load files from other hosts, links must lead to files and anchors that
exist, also those to the repository on GitHub, which this checkout answers. The start page may not lead to the README,
which it shows. The reference must have at most 120 pages, and the inventory every public name. Other external links
are listed. Where node is installed, the search must find the answers of questions.txt.
"""

import re
import shutil
import subprocess
import sys
import zlib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

MAX_START_PAGE = 60_000  # bytes of HTML
MAX_START = 400_000  # with all that it loads
MAX_REFERENCE = 120  # pages
ROOT = Path(__file__).resolve().parents[2]
REPOSITORY = re.compile(r"https://github\.com/facula/facula/(?:blob|tree)/main/([^#]+)#?(.*)")
LOADING = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src"}


class Page(HTMLParser):
    """Links, loaded files and anchors of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.links, self.loaded, self.anchors = path, set(), set(), {"", "top"}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self.anchors |= {given["id"]} if "id" in given else set()
        if tag == "a" and given.get("href"):
            self.links.add(given["href"])
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.add(given["href"])
        elif given.get(LOADING.get(tag, "")):
            self.loaded.add(given[LOADING[tag]])


@cache
def page_at(path: Path) -> Page:
    return Page(path)


def is_external(address: str) -> bool:
    """Return whether an address is on another host, or no file."""
    parts = urlsplit(address)
    return bool(parts.scheme or parts.netloc)


def target_of(page: Page, address: str) -> tuple[Path, str]:
    """Return the file and the anchor that a relative link leads to."""
    parts = urlsplit(address)
    path = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
    return path, unquote(parts.fragment)


def dead_links(pages: list[Page]) -> list[str]:
    """Return the links to files or anchors that do not exist."""
    found = []
    for page in pages:
        for address in sorted(page.links):
            if is_external(address):
                continue
            path, anchor = target_of(page, address)
            if not path.is_file():
                found.append(f"{page.path}: no file for {address}")
            elif path.suffix == ".html" and anchor not in page_at(path).anchors:
                found.append(f"{page.path}: no anchor for {address}")
    return found


@cache
def headings(path: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a Markdown file."""
    prose = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.MULTILINE | re.DOTALL)
    titles = (re.sub(r"\]\([^)]*\)", "", title).lower() for title in re.findall(r"^#+ (.+)$", prose, re.MULTILINE))
    return {re.sub(r"[^\w\- ]", "", title).replace(" ", "-") for title in titles}


def dead_addresses(pages: list[Page]) -> list[str]:
    """Return the links to files or headings of the repository that this checkout lacks."""
    found = []
    for page in pages:
        for address in sorted(page.links):
            if to := REPOSITORY.fullmatch(address):
                path, anchor = ROOT / to[1], to[2]
                if not path.exists() or (anchor and path.suffix == ".md" and anchor not in headings(path)):
                    found.append(f"{page.path}: not in the repository: {address}")
    return found


def foreign_loads(pages: list[Page]) -> list[str]:
    """Return what pages load from other hosts."""
    loads = (f"{page.path}: loads {address}" for page in pages for address in sorted(page.loaded))
    return [line for line in loads if is_external(line.rpartition(" ")[2]) and " data:" not in line]


def size_of(page: Page) -> int:
    """Return the bytes of a page with the files that it loads, and those that its stylesheets load."""
    files = {target_of(page, address)[0] for address in page.loaded if not is_external(address)}
    for sheet in [path for path in files if path.suffix == ".css"]:
        loaded = re.findall(r"url\(['\"]?([^)'\"]*)", sheet.read_text())
        files |= {(sheet.parent / address).resolve() for address in loaded if not is_external(address)}
    return page.path.stat().st_size + sum(path.stat().st_size for path in files)


def inventory(site: Path) -> set[str]:
    """Return the Python names in objects.inv."""
    body = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    lines = zlib.decompress(body).decode().splitlines()
    return {line.split(" ")[0] for line in lines if " py:" in line}


def unanswered(site: Path) -> list[str]:
    """Return the questions that the search does not answer; none without node."""
    node = shutil.which("node")
    if node is None or not (site / "searchindex.js").exists():
        print("search: not asked; that takes node and an index")
        return []
    here = Path(__file__).parent
    done = subprocess.run([node, here / "ask.js", site, here / "questions.txt"], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else [f"search: {done.stderr.strip()}"]


def problems(site: Path, names: set[str]) -> list[str]:
    """Return all that is wrong with the site; `names` are those that the inventory must have."""
    pages = [page_at(path) for path in sorted(site.resolve().rglob("*.html"))]
    start = page_at(site.resolve() / "index.html")
    html, whole = start.path.stat().st_size, size_of(start)
    reference = len(list((site / "reference").rglob("*.html")))
    missing = sorted(names - inventory(site))
    print(f"{len(pages)} pages, {reference} of them reference; start page {html:,} bytes, with its files {whole:,}")
    return [
        *dead_links(pages),
        *dead_addresses(pages),
        *(f"index.html: leads to {link}" for link in sorted(start.links) if "/blob/main/README.md" in link),
        *foreign_loads(pages),
        *([f"index.html: {html:,} bytes, at most {MAX_START_PAGE:,}"] if html > MAX_START_PAGE else []),
        *([f"index.html with its files: {whole:,} bytes, at most {MAX_START:,}"] if whole > MAX_START else []),
        *([f"reference: {reference} pages, at most {MAX_REFERENCE}"] if reference > MAX_REFERENCE else []),
        *(f"objects.inv: lacks {name}" for name in missing),
        *unanswered(site),
    ]


def main() -> None:
    """Print external links, and exit with an error if the site has problems."""
    from reference import all_modules, entries

    site = Path(sys.argv[1])
    found = problems(site, {whole for _, whole, _, _ in entries()} | {module.__name__ for module in all_modules()})
    external = {address for path in site.resolve().rglob("*.html") for address in page_at(path).links}
    for address in sorted(external):
        if is_external(address) and not REPOSITORY.fullmatch(address):
            print("external:", address)
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
