"""`.ci/release.py` refuses packages that are not ready, builds and inspects others, and dates the changelog."""

import os
import shutil
import subprocess
import zipfile

import pytest

ME = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
INIT = "packages/errors/src/facula_errors/__init__.py"
CHANGELOG = "packages/errors/CHANGELOG.md"
RELEASED = "# Changelog\n\n## 0.1.0 (2026-01-02)\n\n- One thing.\n"


@pytest.fixture(scope="module")
def release(root, load_script):
    return load_script(root / ".ci" / "release.py")


def git(tree, *arguments):
    subprocess.run(["git", *arguments], cwd=tree, env={**os.environ, **ME}, check=True, capture_output=True)


def commit(tree):
    git(tree, "add", "--all")
    git(tree, "commit", "--allow-empty", "-m", "a change")
    git(tree, "tag", "-f", "errors-v0.1.0")


@pytest.fixture
def tree(root, tmp_path):
    """Return a repository with one package that is committed, tagged and ready."""
    tree = tmp_path / "tree"
    ignored = shutil.ignore_patterns("tests", "changes", "build", "*.egg-info", "__pycache__")
    shutil.copytree(root / "packages" / "errors", tree / "packages" / "errors", ignore=ignored)
    (tree / CHANGELOG).write_text(RELEASED)
    git(tree, "init", "-q")
    commit(tree)
    return tree


def change(tree, name, old, new):
    text = (tree / name).read_text()
    assert old in text
    (tree / name).write_text(text.replace(old, new))
    commit(tree)


def test_what_is_ready_is_built(release, tree, tmp_path, capsys):
    sdist, wheel = release.check(tree, "errors", tmp_path / "out")
    assert sdist.name == "facula_errors-0.1.0.tar.gz"
    assert wheel.name == "facula_errors-0.1.0-py3-none-any.whl"
    printed = capsys.readouterr().out
    assert "errors-v0.1.0 is ready; nothing has been uploaded" in printed and str(wheel) in printed
    with pytest.raises(release.NotReadyError, match=r"missing \['facula_errors/new.py'\], not in git \[\]"):
        (tree / INIT).with_name("new.py").touch()
        commit(tree)
        release.check_files(tree, "errors", sdist, wheel, "0.1.0")
    with pytest.raises(release.NotReadyError, match=r"not in git \['facula_errors/_frames.py'\]"):
        git(tree, "rm", "-q", "-f", str((tree / INIT).with_name("_frames.py")), str((tree / INIT).with_name("new.py")))
        release.check_files(tree, "errors", sdist, wheel, "0.1.0")
    with pytest.raises(release.NotReadyError, match=r"tar.gz: Version: '0.1.0' for '0.2.0'"):
        release.check_files(tree, "errors", sdist, wheel, "0.2.0")


def test_a_readme_with_relative_links_is_not_ready(release, tree, tmp_path):
    change(tree, "packages/errors/README.md", "# ", "[changes](CHANGELOG.md)\n# ")
    with pytest.raises(release.NotReadyError, match=r"README.md: expected links with addresses; got CHANGELOG.md"):
        release.check(tree, "errors", tmp_path / "out")


def test_folders_in_a_wheel_are_not_files(release, tmp_path):
    with zipfile.ZipFile(tmp_path / "some.whl", "w") as wheel:
        wheel.writestr("some/", "")
        wheel.writestr("some/one.py", "1")
    assert release.in_wheel(tmp_path / "some.whl") == {"some/one.py": b"1"}


def test_a_wheel_may_contain_metadata_of_others(release):
    packed = {"some/_stand_in/torch-2.dist-info/METADATA": b"2", "some-1.dist-info/METADATA": b"1"}
    assert release.metadata_of(packed) == b"1"


def test_a_link_has_the_files_of_its_folder(release, tree):
    (tree / "shared" / "inner").mkdir(parents=True)
    (tree / "shared" / "inner" / "one.h").touch()
    (tree / "some").mkdir()
    (tree / "some" / "linked").symlink_to("../shared")
    (tree / "some" / "two.py").touch()
    git(tree, "add", "--all")
    assert release.in_git(tree, "some") == {"linked/inner/one.h", "two.py"}


def test_tags_are_created_once(release, tree, capsys):
    git(tree, "tag", "-d", "errors-v0.1.0")
    for said in ("created", "exists already"):
        release.create_tag(tree, "errors")
        assert capsys.readouterr().out == f"errors-v0.1.0: {said}\n"
    release.check_commit(tree, "errors-v0.1.0")
    git(tree, "tag", "-d", "errors-v0.1.0")
    (tree / "packages" / "errors" / "notes.txt").touch()
    with pytest.raises(release.NotReadyError, match=r"commit or remove"):
        release.create_tag(tree, "errors")
    assert release.names_of(tree, "all") == ["errors"]


def test_a_wheel_for_this_machine_only_is_refused(release, tmp_path, monkeypatch):
    done = subprocess.CompletedProcess([], 1, "", "too-recent versioned symbols")
    monkeypatch.setattr(release.subprocess, "run", lambda *_, **__: done)
    with pytest.raises(release.NotReadyError, match=r"some-1-cp311-abi3-linux_x86_64.whl: expected a wheel for many"):
        release.repair(tmp_path / "some-1-cp311-abi3-linux_x86_64.whl", tmp_path)


def differ(tree):
    change(tree, INIT, '__version__ = "0.1.0"', '__version__ = "0.1.1"')


def leave_unreleased(tree):
    change(tree, CHANGELOG, "(2026-01-02)", "(unreleased)")


def leave_a_fragment(tree):
    (tree / "packages/errors/changes").mkdir()
    (tree / "packages/errors/changes/more.md").write_text("More.")
    commit(tree)


def leave_a_file(tree):
    (tree / "packages/errors/notes.txt").touch()


def take_the_tag(tree):
    git(tree, "tag", "-d", "errors-v0.1.0")


def go_on(tree):
    git(tree, "commit", "--allow-empty", "-m", "another change")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (differ, r"pyproject.toml says 0.1.0, facula_errors.__version__ says 0.1.1"),
        (leave_unreleased, r"first section to be '0.1.0 \(YEAR-MONTH-DAY\)'; got '0.1.0 \(unreleased\)': run `python"),
        (leave_a_fragment, r"still holds more.md: run `python .ci/release.py news errors`"),
        (leave_a_file, r"commit or remove\n\?\? packages/errors/notes.txt"),
        (take_the_tag, r"expected the tag errors-v0.1.0 at this commit: run `git tag"),
        (go_on, r"expected the tag errors-v0.1.0 at this commit: it stands at another"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_is_not_ready_is_refused_before_anything_is_built(release, tree, tmp_path, spoil, message):
    spoil(tree)
    with pytest.raises(release.NotReadyError, match=message):
        release.check(tree, "errors", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_package_that_is_not_there_is_refused(release, tree):
    with pytest.raises(release.NotReadyError, match=r"one of errors; got 'error'"):
        release.check(tree, "error", tree / "out")


def test_news_become_a_dated_section(release, tree):
    """Check that news go into the unreleased section, or into a new one above the others."""
    older = "\n## 0.0.1 (2025-01-01)\n\n- Zero.\n"
    (tree / CHANGELOG).write_text(
        "# Changelog\n\n## 0.1.0 (unreleased)\n\n* One.\n\n## 0.0.1 (2025-01-01)\n\n- Zero.\n"
    )
    leave_a_fragment(tree)
    (tree / "packages/errors/changes/a-few.md").write_text("A few,\non two lines.\n")
    release.collect_news(tree, "errors", "2026-01-02")
    section = "## 0.1.0 (2026-01-02)\n\n- One.\n- A few,\n  on two lines.\n- More.\n"
    assert (tree / CHANGELOG).read_text() == f"# Changelog\n\n{section}{older}"
    assert not release.fragments(tree, "errors")
    with pytest.raises(release.NotReadyError, match=r"0.1.0 is released already; raise the version"):
        release.collect_news(tree, "errors", "2026-01-03")
    assert release.with_news(f"# Changelog\n\n{section}", "0.2.0", "- Two.\n", "2026-02-01") == (
        f"# Changelog\n\n## 0.2.0 (2026-02-01)\n\n- Two.\n\n{section}"
    )


def test_missing_tags_of_dated_releases_are_listed(release, tree):
    assert release.missing_tags(tree) == []
    git(tree, "tag", "-d", "errors-v0.1.0")
    assert release.missing_tags(tree) == ["errors-v0.1.0"]
    path = tree / CHANGELOG
    path.write_text(RELEASED.replace("## 0.1.0", "## 0.2.0 (unreleased)\n\n- Two.\n\n## 0.1.0"))
    assert release.missing_tags(tree) == ["errors-v0.1.0"]
    path.write_text("# Changelog\n\n## 0.1.0 (unreleased)\n\n- One thing.\n")
    assert release.missing_tags(tree) == []
