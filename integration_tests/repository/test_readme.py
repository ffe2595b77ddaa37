"""The README's two commands, each alone in its block: the first trains, the one after `<!-- tests -->` tests."""

import re
import shutil
import subprocess

import pytest

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MARKER = "<!-- tests -->\n"


def command_of_tests(root):
    """Return the block after the marker."""
    text = (root / "README.md").read_text()
    assert text.count(MARKER) == 1
    language, body = FENCE.match(text, text.index(MARKER) + len(MARKER)).groups()
    assert not language
    return body.strip()


def test_the_first_block_trains_in_one_line(root):
    _, body = FENCE.search((root / "README.md").read_text()).groups()
    train = body.strip()
    assert train.startswith("python3 -m venv ")
    assert "\n" not in train
    assert train.endswith(" -m facula.examples.digits")
    assert "nox" not in train, "a first try of facula requires no tools of its developers"


def test_the_block_after_the_marker_tests_in_one_line(root):
    tests = command_of_tests(root)
    assert "\n" not in tests
    assert tests.endswith("nox -s tests")


def run_ci_on(root, folder, readme):
    """Run `.ci/run` in a folder with a fake bash, which prints the command instead of running it."""
    (folder / ".ci").mkdir()
    script = (root / ".ci" / "run").read_text()
    assert script.count("exec bash -euo pipefail -c") == 1
    (folder / ".ci" / "run").write_text(script.replace("exec bash -euo pipefail -c", "exec printf %s"))
    (folder / "README.md").write_text(readme)
    bash = shutil.which("bash")
    return subprocess.run([bash, str(folder / ".ci" / "run")], capture_output=True, text=True, check=False)


def test_ci_runs_the_block_after_the_marker(root, tmp_path):
    """Check that `.ci/run` reads the command from the README, so that no second copy can become outdated."""
    done = run_ci_on(root, tmp_path, (root / "README.md").read_text())
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(command_of_tests(root))
    script = (root / ".ci" / "run").read_text()
    assert "venv" not in re.sub(r"^\s*#.*$", "", script, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "readme",
    [
        "no block at all\n",
        "```\nnox -s tests\n```\n",
        f"{MARKER}```\nnox -s lint\n```\n```\nnox -s tests\n```\n",
        f"{MARKER}```\nnox -s tests || true\n```\n",
    ],
    ids=["nothing", "no marker", "another session", "failures ignored"],
)
def test_ci_refuses_another_command(root, tmp_path, readme):
    done = run_ci_on(root, tmp_path, readme)
    assert done.returncode == 1
    assert 'end in "nox -s tests"' in done.stderr


def test_sessions_fetch_torch_only_to_compare(root):
    """Check that only the sessions that compare with PyTorch require torch."""
    text = "".join(path.read_text() for path in [root / "noxfile.py", *root.glob(".ci/nox_*.py")])
    sessions = re.findall(r"^def (\w+)\(session[^\n]*\n(.*?)(?=^@|^def |\Z)", text, re.MULTILINE | re.DOTALL)
    assert {name for name, body in sessions if "TORCH" in body} == {"bench", "conformance", "libraries", "models"}
    assert len(re.findall(r"torch==", text)) == 1


def test_links_between_pages_lead_somewhere(root, files):
    """Check that every relative link of every page is a file or folder of the tree."""
    dead = [
        f"{page}: {target}"
        for page in files
        if page.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (root / page).read_text())
        if "://" not in target and not (root / page.parent / target).exists()
    ]
    assert not dead, dead


REPOSITORY = "https://github.com/facula/facula/"
ADDRESS = re.compile(re.escape(REPOSITORY) + r"(?:blob|tree)/main/([^)#\s\"]+)(?:#([^)\s\"]+))?")


def test_addresses_of_the_repository_lead_somewhere(root, files):
    """Check that links to files on GitHub, in pages and in the metadata of packages, are files and headings here."""
    dead = []
    for page in files:
        if page.suffix == ".md" or page.name == "pyproject.toml":
            for target, anchor in ADDRESS.findall((root / page).read_text()):
                to = root / target
                if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to.read_text())):
                    dead.append(f"{page}: {target}#{anchor}")
    assert not dead, dead


def test_readmes_of_packages_have_no_relative_links(root, load_script):
    """Check that all links of packages' READMEs have addresses, since a package index shows them alone."""
    release = load_script(root / ".ci" / "release.py")
    text = (
        "[a](../b.md) [c](#d) ![e](f.png)\n[g]: h.md\n<img src='i.png'> [j](https://k.org) `[l](m)`\n```\n[n](o)\n```\n"
    )
    assert release.relative_links(text) == ["../b.md", "#d", "f.png", "h.md", "i.png"]
    found = {path.parent.name: release.relative_links(path.read_text()) for path in root.glob("packages/*/README.md")}
    assert len(found) > 10 and not any(found.values()), found


def anchors(text):
    """Return the anchors of a page's headings, as GitHub derives them."""
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    found = []
    for heading in re.findall(r"^#+ (.+)$", prose, re.MULTILINE):
        found.append(re.sub(r"[^\w\- ]", "", re.sub(r"\]\([^)]*\)", "", heading).lower()).replace(" ", "-"))
    return set(found)


def test_anchors_are_derived_as_by_github():
    assert anchors("# A `b.c` (d), e\n```\n# code\n```\n## f-g_h") == {"a-bc-d-e", "f-g_h"}


def test_anchors_of_links_are_headings(root, files):
    """Check that every `page.md#anchor` and `#anchor` names a heading of that page."""
    dead = []
    for page in files:
        if page.suffix != ".md":
            continue
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", (root / page).read_text()):
            to = root / page.parent / target if target else root / page
            if "://" not in target and to.suffix == ".md" and anchor not in anchors(to.read_text()):
                dead.append(f"{page}: {target}#{anchor}")
    assert not dead, dead


def test_the_index_lists_every_page(root, files):
    """Check that docs/README.md links each page under docs/ exactly once."""
    listed = re.findall(r"^\| \[[^\]]+\]\((\w[\w/-]*\.md)\)", (root / "docs/README.md").read_text(), re.MULTILINE)
    pages = {str(page.relative_to("docs")) for page in files if page.is_relative_to("docs") and page.suffix == ".md"}
    assert sorted(listed) == sorted(page for page in pages if not page.endswith(("README.md", "index.md")))


PAGES = ("adding-an-operator", "adding-a-layer", "adding-an-optimizer", "adding-a-dataset")


@pytest.mark.parametrize("name", PAGES)
def test_diffs_of_a_guide_apply(root, tmp_path, name):
    """`integration_tests/together/test_adding.py` also builds and tests the added code, which takes minutes."""
    text = (root / "docs/how-to" / f"{name}.md").read_text()
    patch = tmp_path / "page.diff"
    patch.write_text("".join(body for language, body in FENCE.findall(text) if language == "diff"))
    assert patch.read_text()
    done = subprocess.run(
        ["git", "apply", "--check", str(patch)], cwd=root, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
