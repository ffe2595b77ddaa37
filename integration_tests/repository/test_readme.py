"""The README's first two code blocks are two commands, alone: train, and test."""

import re

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def first_blocks(root):
    return [body.strip() for _, body in FENCE.findall((root / "README.md").read_text())[:2]]


def test_the_first_block_trains_in_one_line(root):
    train, _ = first_blocks(root)
    assert train.startswith("python3 -m venv ")
    assert "\n" not in train
    assert train.endswith(" -m facula.examples.digits")
    assert "nox" not in train, "whoever tries facula need not know the tools of those who work on it"


def test_the_second_block_tests_in_one_line(root):
    _, tests = first_blocks(root)
    assert "\n" not in tests
    assert tests.endswith(" tests")


def test_ci_runs_the_second_block_as_it_stands(root):
    """`.ci/run` takes the command from the README: there is no second copy of it to go stale."""
    script = (root / ".ci" / "run").read_text()
    assert "README.md" in script
    assert "nox" not in re.sub(r"^\s*#.*$", "", script, flags=re.MULTILINE)


def test_sessions_fetch_torch_only_to_compare(root):
    """The torch requirement is used by the sessions that compare with it, and nowhere else."""
    text = (root / "noxfile.py").read_text()
    sessions = re.findall(r"^def (\w+)\(session[^\n]*\n(.*?)(?=^@|^def |\Z)", text, re.MULTILINE | re.DOTALL)
    assert {name for name, body in sessions if "TORCH" in body} == {"bench", "conformance", "libraries"}
    assert len(re.findall(r"torch==", text)) == 1


def test_links_between_pages_lead_somewhere(root, files):
    """Every relative link of every page is a file or folder of the tree."""
    dead = [
        f"{page}: {target}"
        for page in files
        if page.suffix == ".md"
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", (root / page).read_text())
        if "://" not in target and not (root / page.parent / target).exists()
    ]
    assert not dead, dead
