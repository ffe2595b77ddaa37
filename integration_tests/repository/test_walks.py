"""The walks of docs/explanation/architecture.md are correct: files exist, and define the names that the walks state."""

import ast
import re

import pytest

SPAN = re.compile(r"`([^`\n]+)`")
SHORT = re.compile(r"`([A-Z])`(?: stands)? for\s+`(packages/[\w/]+)`")
FILE = re.compile(r"(?:packages|[A-Z])/[\w/]+\.(?:py|c|h|inc)")
DEFINED = re.compile(r"(class|def) (\w+)")
PLACE = re.compile(r"packages/[\w/.-]*\w")


def untrue(text, root):
    """Return the walks' errors: missing files, and names that the preceding file lacks."""
    short = dict(SHORT.findall(text))
    wrong, file, content = [], "", ""
    for span in SPAN.findall(text):
        if FILE.fullmatch(span):
            letter, _, rest = span.partition("/")
            file = f"{short[letter]}/{rest}" if letter in short else span
            content = (root / file).read_text() if (root / file).is_file() else ""
            if not content:
                wrong.append(f"{file}: is not there")
        elif content and (found := DEFINED.fullmatch(span)):
            kind, name = found.groups()
            kinds = ast.ClassDef if kind == "class" else (ast.FunctionDef, ast.AsyncFunctionDef)
            if not any(isinstance(node, kinds) and node.name == name for node in ast.walk(ast.parse(content))):
                wrong.append(f"{file}: has no `{span}`")
        elif content and not file.endswith(".py") and "(" in span and span not in content:
            wrong.append(f"{file}: has no `{span}`")
    return wrong


def walks(root):
    page = (root / "docs/explanation/architecture.md").read_text()
    return page.partition("\n## Walkthroughs\n")[2].partition("\n## ")[0]


def test_the_walks_are_true(root):
    text = walks(root)
    assert len(re.findall(r"^\d\. `", text, re.MULTILINE)) >= 20
    wrong = untrue(text, root)
    assert not wrong, f"docs/explanation/architecture.md: {wrong}"


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("def run_backward", "def run_forward", "has no `def run_forward`"),
        ("/_engine/engine.py", "/_engine/motor.py", "motor.py: is not there"),
        ("BINARY(add, 70, x + y)", "BINARY(add, 70, x - y)", "floating.inc: has no `BINARY(add, 70, x - y)`"),
        ("class CpuBackend", "def CpuBackend", "_backend.py: has no `def CpuBackend`"),
    ],
)
def test_what_became_untrue_is_named(root, old, new, complaint):
    text = walks(root)
    assert old in text
    assert any(complaint in one for one in untrue(text.replace(old, new), root))


def test_paths_in_pages_lead_somewhere(root, files):
    """Check each path under packages/ that a page names in backticks; `NAME` matches any package."""
    dead = [
        f"{page}: {span}"
        for page in files
        if page.suffix == ".md" and page.name != "CHANGELOG.md"
        for span in SPAN.findall(re.sub(r"^```.*?^```$", "", (root / page).read_text(), flags=re.MULTILINE | re.DOTALL))
        if PLACE.fullmatch(span) and "NAME" not in span and not (root / span).exists()
    ]
    assert not dead, dead
