"""News and releases of packages: `python .ci/release.py news NAME`, or tag, check or repair; see `main`.

`news` moves the fragments of packages/NAME/changes/ into its CHANGELOG.md under today's date. `tag` tags the commit.
`check` verifies that the package is ready, builds its sdist and wheel from the tag into FOLDER, and checks both. It
uploads no file. `repair` tags a compiled wheel for other systems. NAME may be `all`. See docs/how-to/releasing.md.
"""

import ast
import datetime
import hashlib
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMPILED = (".so", "/facula-run")  # files of a wheel that are not sources
PLATFORM = f"manylinux_2_28_{platform.machine()}"  # Linux with glibc 2.28 or newer


class NotReadyError(Exception):
    """The package cannot be released; the message names the reason and the remedy."""


def git(root: Path, *arguments: str) -> str:
    """Run a git command and return its output."""
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotReadyError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def project(root: Path, name: str) -> dict:
    """Return the `project` table of packages/NAME."""
    path = root / "packages" / name / "pyproject.toml"
    if not path.exists():
        known = ", ".join(sorted(found.parent.name for found in root.glob("packages/*/pyproject.toml")))
        raise NotReadyError(f"expected a package's folder, one of {known}; got {name!r}")
    return tomllib.loads(path.read_text())["project"]


# News ----------------------------------------------------------------------------------------------------------------


def fragments(root: Path, name: str) -> list[Path]:
    """Return the news fragments that the changelog does not contain yet, by file name."""
    return sorted((root / "packages" / name / "changes").glob("*.md"))


def items(paths: list[Path]) -> str:
    """Return fragments as the items of a Markdown list."""
    return "".join(f"- {path.read_text().strip()}\n".replace("\n", "\n  ").rstrip(" ") for path in paths)


def with_news(changelog: str, version: str, news: str, date: str) -> str:
    """Return the changelog with news and a date in the section of a version, which is created if necessary."""
    heading = re.compile(rf"^## {re.escape(version)} \(unreleased\)$", re.MULTILINE)
    found = heading.search(changelog)
    if not found:
        if re.search(rf"^## {re.escape(version)}\b", changelog, re.MULTILINE):
            raise NotReadyError(f"CHANGELOG.md: {version} is released already; raise the version in pyproject.toml")
        title, _, rest = changelog.partition("\n")
        return f"{title}\n\n## {version} ({date})\n\n{news}{rest}"
    before, after = changelog[: found.start()], changelog[found.end() :]
    here, mark, older = after.partition("\n## ")
    return f"{before}## {version} ({date}){here.rstrip()}\n{news}{mark and chr(10)}{mark[1:]}{older}"


def collect_news(root: Path, name: str, date: str) -> None:
    """Move the fragments of a package into its changelog, dated."""
    version = project(root, name)["version"]
    path, found = root / "packages" / name / "CHANGELOG.md", fragments(root, name)
    text = with_news(path.read_text(), version, items(found), date)
    path.write_text(re.sub(r"^\* ", "- ", text, flags=re.MULTILINE))  # Markdown separates lists with other marks
    for fragment in found:
        fragment.unlink()
    print(f"{path.relative_to(root)}: {version} ({date}), {len(found)} fragments; read it, then commit it")


# Releases ------------------------------------------------------------------------------------------------------------


def check_version(root: Path, name: str) -> str:
    """Return the version in pyproject.toml; `__init__` must state the same version, or none."""
    declared = project(root, name)
    version, module = declared["version"], declared["name"].replace("-", "_")
    init = root / "packages" / name / "src" / module / "__init__.py"
    for node in ast.parse(init.read_text()).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", None) == "__version__":
            stated = ast.literal_eval(node.value)
            if stated != version:
                raise NotReadyError(f"pyproject.toml says {version}, {module}.__version__ says {stated}: make them one")
    return version


def check_changelog(root: Path, name: str, version: str) -> None:
    """Check that the first section is that of the version, with a date, and that no fragment remains."""
    if left := fragments(root, name):
        names = ", ".join(path.name for path in left)
        raise NotReadyError(f"packages/{name}/changes still holds {names}: run `python .ci/release.py news {name}`")
    newest = re.search(r"^## (.*)$", (root / "packages" / name / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not newest or not re.fullmatch(rf"{re.escape(version)} \(\d{{4}}-\d\d-\d\d\)", newest[1]):
        said = repr(newest[1]) if newest else "none"
        raise NotReadyError(
            f"CHANGELOG.md: expected the first section to be '{version} (YEAR-MONTH-DAY)'; got {said}: "
            f"run `python .ci/release.py news {name}`"
        )


def relative_links(text: str) -> list[str]:
    """Return the targets of a Markdown text's links and images that are no addresses: an index cannot resolve them."""
    prose = re.sub(r"^```.*?^```|`[^`\n]*`", "", text, flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(\s*<?([^)>\s]*)|^\[[^\]]+\]:\s*(\S+)|(?:src|href)=[\"']([^\"']*)", prose, re.MULTILINE)
    return [target for found in targets for target in found if target and not re.match(r"https?://|mailto:", target)]


def check_readme(root: Path, name: str) -> None:
    """Check that all links of the README, which the index shows, are addresses."""
    if found := relative_links((root / "packages" / name / "README.md").read_text()):
        raise NotReadyError(f"packages/{name}/README.md: expected links with addresses; got {', '.join(found)}")


def check_commit(root: Path, tag: str) -> None:
    """Check that the tree is clean and that the tag points at its commit."""
    if changed := git(root, "status", "--porcelain"):
        raise NotReadyError(f"the tree differs from its commit: commit or remove\n{changed.rstrip()}")
    if tag not in git(root, "tag", "--points-at", "HEAD").split():
        elsewhere = git(root, "tag", "--list", tag).strip()
        remedy = "it stands at another commit" if elsewhere else f"run `git tag -a {tag} -m {tag}`"
        raise NotReadyError(f"expected the tag {tag} at this commit: {remedy}")


def build(root: Path, name: str, tag: str, output: Path) -> tuple[Path, Path]:
    """Build the sdist of a tag, and the wheel from that sdist alone."""
    with tempfile.TemporaryDirectory() as folder:
        git(root, "archive", f"--output={folder}/tree.tar", tag, f"packages/{name}")
        shutil.unpack_archive(f"{folder}/tree.tar", folder)
        command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", f"{folder}/built"]
        subprocess.run([*command, f"{folder}/packages/{name}"], check=True, stdout=subprocess.DEVNULL)
        (sdist,), (wheel,) = Path(folder).glob("built/*.tar.gz"), Path(folder).glob("built/*.whl")
        output.mkdir(parents=True, exist_ok=True)
        return Path(shutil.copy(sdist, output)), repair(wheel, output)


def repair(wheel: Path, output: Path) -> Path:
    """Write a wheel for other systems: compiled files without symbols, tagged PLATFORM if auditwheel finds them so."""
    if wheel.name.endswith("-none-any.whl"):
        return Path(shutil.copy(wheel, output))
    command = [sys.executable, "-m", "auditwheel", "repair", "--strip", "--only-plat", "--plat", PLATFORM]
    done = subprocess.run([*command, "-w", str(output), str(wheel)], capture_output=True, text=True, check=False)
    repaired = output / f"{wheel.stem.rpartition('-')[0]}-{PLATFORM}.whl"
    if done.returncode or not repaired.exists():
        raise NotReadyError(f"{wheel.name}: expected a wheel for {PLATFORM}:\n{done.stderr}")
    return repaired


def in_sdist(path: Path) -> dict[str, bytes]:
    """Return the files of an sdist, by their path in it."""
    with tarfile.open(path) as tree:
        files = [member for member in tree.getmembers() if member.isfile()]
        return {member.name.partition("/")[2]: tree.extractfile(member).read() for member in files}


def in_wheel(path: Path) -> dict[str, bytes]:
    """Return the files of a wheel, by their path in it."""
    with zipfile.ZipFile(path) as tree:
        return {name: tree.read(name) for name in tree.namelist() if not name.endswith("/")}


def metadata_of(packed: dict[str, bytes]) -> bytes:
    """Return the metadata of a wheel, which may contain that of other distributions in its folders."""
    (content,) = (text for path, text in packed.items() if re.fullmatch(r"[^/]+\.dist-info/METADATA", path))
    return content


def in_git(root: Path, folder: str) -> set[str]:
    """Return the tracked files of a folder, by their path in it; a link to a folder has the files of that folder."""
    found = set()
    for path in git(root, "ls-files", folder).split():
        name, place = path.removeprefix(f"{folder}/"), root / path
        if place.is_dir():
            linked = place.resolve().relative_to(root.resolve())
            found |= {f"{name}/{inner}" for inner in in_git(root, str(linked))}
        else:
            found.add(name)
    return found


def check_metadata(metadata: Message, declared: dict, version: str, where: str) -> None:
    """Check that the name, version, licence and description are those of the tree."""
    expected = {"Name": declared["name"], "Version": version, "License-Expression": declared["license"]}
    expected |= {"Description-Content-Type": "text/markdown", "Requires-Python": declared["requires-python"]}
    wrong = [f"{key}: {metadata[key]!r} for {value!r}" for key, value in expected.items() if metadata[key] != value]
    if not (metadata["Description"] or metadata.get_payload()).strip():
        wrong.append("no description: is README.md empty?")
    if wrong:
        raise NotReadyError(f"{where}: {'; '.join(wrong)}")


def check_files(root: Path, name: str, sdist: Path, wheel: Path, version: str) -> None:
    """Check that both contain exactly the sources in git, with the same metadata."""
    declared = project(root, name)
    sources, packed = in_sdist(sdist), in_wheel(wheel)
    for where, content in ((sdist.name, sources["PKG-INFO"]), (wheel.name, metadata_of(packed))):
        check_metadata(Parser().parsestr(content.decode()), declared, version, where)
    module = declared["name"].replace("-", "_")
    wanted = {f"{module}/{path}" for path in in_git(root, f"packages/{name}/src/{module}")}
    found = {path for path in packed if path.startswith(f"{module}/") and not path.endswith(COMPILED)}
    missing = {path for path in wanted - found if not path.endswith((".c", ".h"))}  # wheels contain them compiled
    missing |= {path for path in wanted if f"src/{path}" not in sources}
    surplus = found - wanted
    if missing or surplus:
        raise NotReadyError(f"sdist and wheel: missing {sorted(missing)}, not in git {sorted(surplus)}")


def check(root: Path, name: str, output: Path) -> tuple[Path, Path]:
    """Check that a package is ready, then build the files of a release, check them and print their digests."""
    version = check_version(root, name)
    check_changelog(root, name, version)
    check_readme(root, name)
    tag = f"{name}-v{version}"
    check_commit(root, tag)
    built = build(root, name, tag, output)
    check_files(root, name, *built, version)
    print(f"{tag} is ready; nothing has been uploaded:")
    for path in built:
        print(f"  {hashlib.sha256(path.read_bytes()).hexdigest()}  {path}")
    return built


def create_tag(root: Path, name: str) -> None:
    """Tag the commit with the version of a package that is ready; keep the tag if the version has it already."""
    version = check_version(root, name)
    tag = f"{name}-v{version}"
    if git(root, "tag", "--list", tag).strip():
        print(f"{tag}: exists already")
        return
    check_changelog(root, name, version)
    if changed := git(root, "status", "--porcelain"):
        raise NotReadyError(f"the tree differs from its commit: commit or remove\n{changed.rstrip()}")
    git(root, "tag", "-a", tag, "-m", tag)
    print(f"{tag}: created")


def missing_tags(root: Path) -> list[str]:
    """Return the tags of the newest dated releases in the changelogs that git lacks."""
    present, missing = set(git(root, "tag", "--list").split()), []
    for name in names_of(root, "all"):
        text = (root / "packages" / name / "CHANGELOG.md").read_text()
        newest = re.search(r"^## (\S+) \(\d{4}-\d\d-\d\d\)$", text, re.MULTILINE)
        if newest and (tag := f"{name}-v{newest[1]}") not in present:
            missing.append(tag)
    return missing


def names_of(root: Path, name: str) -> list[str]:
    """Return a name, or for `all` those of all packages."""
    return sorted(path.parent.name for path in root.glob("packages/*/pyproject.toml")) if name == "all" else [name]


def main(arguments: list[str]) -> str | None:
    """Run the command; return an error message, or None on success."""
    try:
        match arguments:
            case ["news", name]:
                for one in names_of(ROOT, name):
                    collect_news(ROOT, one, datetime.date.today().isoformat())
            case ["tag", name]:
                for one in names_of(ROOT, name):
                    create_tag(ROOT, one)
            case ["check", name, output]:
                shutil.rmtree(output, ignore_errors=True)
                for one in names_of(ROOT, name):
                    check(ROOT, one, Path(output))
            case ["repair", wheel, output]:
                print(repair(Path(wheel), Path(output)))
            case _:
                return __doc__
    except NotReadyError as error:
        return f"not ready: {error}"
    return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
