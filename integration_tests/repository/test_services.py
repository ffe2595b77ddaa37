"""Files that services read fit their schemas, which check-jsonschema contains, and run the blocks of all pages."""

import re
import subprocess
import sys

import pytest

SCHEMAS = {
    "github-workflows": ".github/workflows/*.yml",
    "dependabot": ".github/dependabot.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "citation-file-format": "CITATION.cff",
}


@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_for_services_fit_their_schemas(root, schema):
    pytest.importorskip("check_jsonschema", reason="nox -s workflows installs check-jsonschema")
    paths = sorted(root.glob(SCHEMAS[schema]))
    assert paths
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", *paths]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_services_run_the_blocks_of_pages_where_the_documentation_says(root):
    """Check the table of docs/README.md, and that the session of notebooks installs what their blocks need."""
    rows = re.findall(r"`nox -s (\w+)` \| `(\.github/\S+)`", (root / "docs/README.md").read_text())
    called = {"integration": ".ci/run", "docs_run": "nox -s docs_run"}  # .ci/run runs all that a change must pass
    assert dict(rows).keys() == called.keys()
    for session, workflow in rows:
        assert f"run: {called[session]}\n" in (root / workflow).read_text()
    program = (root / "docs/_site/notebooks.py").read_text()
    guides = re.search(r"^GUIDES = \((.*)\)", program, re.MULTILINE)[1]
    pages = [
        *(root / "docs/tutorials").glob("*.md"),
        *(root / f"docs/how-to/{name}.md" for name in re.findall(r"\w[\w-]*", guides)),
    ]
    needed = {
        name
        for page in pages
        for names in re.findall(r'needs="([\w,]+)"', page.read_text())
        for name in names.split(",")
    }
    installed = "".join((root / name).read_text() for name in ("noxfile.py", ".ci/nox_tools.py", "docs/_site/lock.txt"))
    lacking = {name for name in needed - {"torch"} if not re.search(rf"^{name}==|\"{name}>=", installed, re.MULTILINE)}
    assert len(needed) > 8 and not lacking, lacking
