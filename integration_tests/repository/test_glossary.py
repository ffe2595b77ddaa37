"""The glossary page: sorted, each word once, and each object in the stated place."""

import re

import pytest
from conftest import ROOT

ROWS = [
    tuple(cell.strip() for cell in line.strip("|").split(" | "))
    for line in (ROOT / "docs/reference/glossary.md").read_text().splitlines()
    if line.startswith("| ") and not line.startswith(("| word |", "| --- |"))
]


def missing(where):
    """Return the missing part of a place in the third column, or None."""
    package, *names = where.replace("`", "").split()
    folder = ROOT / "packages" / package / "src" / f"facula_{package}"
    if not names:
        return None if folder.is_dir() else folder
    file, name = names
    if not (folder / file).is_file():
        return folder / file
    return None if re.search(rf"\b{name}\b", (folder / file).read_text()) else f"{name} in {file}"


def test_each_word_has_one_row_in_alphabetical_order():
    words = [row[0] for row in ROWS]
    assert len(words) > 40 and words == sorted(set(words), key=str.lower)


@pytest.mark.parametrize(("word", "meaning", "where"), ROWS, ids=[row[0] for row in ROWS])
def test_each_thing_is_where_the_page_says(word, meaning, where):
    assert meaning and missing(where) is None


@pytest.mark.parametrize(
    "where", ["autograd `_no_such_file.py` `Node`", "autograd `_graph/node.py` `no_such_name`", "none"]
)
def test_what_is_not_there_would_be_seen(where):
    assert missing(where) is not None
