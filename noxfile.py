"""Every task of the repository: `nox -l` lists them; `nox -s tests` is what a change must pass.

Wheels come first: `build` makes each package's wheel once into dist/, together with a constraints
file which says that every sibling comes from there, and all other sessions install those wheels.
So nothing is ever tested from the sources beside it, nor against a sibling from an index.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import sys
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nox

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "venv"
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["tests"]

ROOT = Path(__file__).resolve().parent
DIST = ROOT / "dist"
CONSTRAINTS = DIST / "constraints.txt"
STAMPS = DIST / "stamps.json"
RESULTS = ROOT / ".nox" / "results"
PACKAGES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
TORCH = "torch==2.13.0"
NOT_SOURCES = shutil.ignore_patterns(
    "build", "tests", "*.egg-info", "__pycache__", "*.so", "*.o", ".hypothesis", ".*_cache"
)


# What the packages say of themselves ---------------------------------------------------------------------------------


def project(package: str) -> dict:
    """The whole pyproject.toml of packages/PACKAGE."""
    return tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text())


def distribution(package: str) -> str:
    """`storage` -> `facula-storage`; the face is `facula`."""
    return project(package)["project"]["name"]


def requirements(package: str, extra: str = "") -> list[str]:
    """The dependencies that PACKAGE declares, with those of one extra."""
    declared = project(package)["project"]
    return declared.get("dependencies", []) + declared.get("optional-dependencies", {}).get(extra, [])


def built_wheel(package: str) -> Path:
    """The one wheel of PACKAGE in dist/."""
    (wheel,) = DIST.glob(f"{distribution(package).replace('-', '_')}-[0-9]*.whl")
    return wheel


# Wheels --------------------------------------------------------------------------------------------------------------


def fingerprint(package: str) -> str:
    """A digest of everything a wheel is made from: sources, interpreter, compiler flags."""
    folder = ROOT / "packages" / package
    digest = hashlib.sha256(repr((sys.version, platform.machine(), os.environ.get("CFLAGS", ""))).encode())
    for parent, folders, files in os.walk(folder):
        skipped = NOT_SOURCES(parent, [*folders, *files])
        folders[:] = sorted(name for name in folders if name not in skipped)
        for name in sorted(name for name in files if name not in skipped):
            path = Path(parent, name)
            digest.update(f"\0{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def make_wheel(session: nox.Session, package: str, output: Path, **env: str) -> None:
    """Build one wheel, from a copy: nothing that an earlier build left beside the sources can get into it."""
    copy = Path(session.create_tmp()) / package
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "packages" / package, copy, ignore=NOT_SOURCES)
    arguments = ["--wheel", "--no-isolation", "--outdir", str(output), str(copy)]
    session.run("python", "-m", "build", *arguments, silent=True, env=env)


def install_build_tools(session: nox.Session) -> None:
    """What the packages' builds require; they run without isolation, so it is fetched once for all."""
    backends = {requirement for package in PACKAGES for requirement in project(package)["build-system"]["requires"]}
    session.install("build", "wheel", *sorted(backends))


@nox.session
def build(session: nox.Session) -> None:
    """Make each package's wheel, and the constraints that name them, in dist/. What has not changed is kept."""
    DIST.mkdir(exist_ok=True)
    stamps = json.loads(STAMPS.read_text()) if STAMPS.exists() else {}
    wanted = {package: fingerprint(package) for package in PACKAGES}

    def is_current(package: str) -> bool:
        return stamps.get(package) == wanted[package] and len(list(DIST.glob(wheels_of(package)))) == 1

    def wheels_of(package: str) -> str:
        return f"{distribution(package).replace('-', '_')}-[0-9]*.whl"

    stale = [package for package in PACKAGES if not is_current(package)]
    if stale:
        install_build_tools(session)
    for package in stale:
        for old in DIST.glob(wheels_of(package)):
            old.unlink()
        make_wheel(session, package, DIST)
    lines = [f"{distribution(package)} @ {built_wheel(package).as_uri()}\n" for package in PACKAGES]
    CONSTRAINTS.write_text("".join(lines))
    STAMPS.write_text(json.dumps(wanted, indent=1))
    session.log(f"dist/: built {', '.join(stale) or 'nothing'}; {len(PACKAGES) - len(stale)} kept")


def install(session: nox.Session, *packages: str, extra: str = "", also: tuple[str, ...] = ()) -> None:
    """Install wheels from dist/ and what they declare; siblings, too, can only come from dist/."""
    # pip leaves an installed package alone when a wheel has the same version, whatever is in it.
    session.run("python", "-m", "pip", "uninstall", "-qq", "--yes", *map(distribution, PACKAGES), silent=True)
    wanted = []
    for package in packages:
        has_extra = extra in project(package)["project"].get("optional-dependencies", {})
        suffix = f"[{extra}]" if has_extra else ""
        wanted.append(f"{distribution(package)}{suffix} @ {built_wheel(package).as_uri()}")
    session.install("-c", str(CONSTRAINTS), *wanted, *also)


# Tests ---------------------------------------------------------------------------------------------------------------


def run_pytest(session: nox.Session, report: str, *arguments: str, cwd: Path, **env: str) -> None:
    """Run pytest in `cwd`, with the root's settings and a report for `total`; posargs of the session come last."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    result = RESULTS / f"{report}.xml"
    result.unlink(missing_ok=True)
    env = {"HYPOTHESIS_PROFILE": os.environ.get("HYPOTHESIS_PROFILE", "ci"), **env}
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={cwd}", f"--junitxml={result}"]
    with session.chdir(cwd):
        session.run("python", "-m", "pytest", *settings, *arguments, *session.posargs, env=env)


def outside_the_tree(session: nox.Session, package: str) -> Path:
    """A copy of PACKAGE's tests with no sources beside them, and the checks that each package has in common."""
    place = Path(session.create_tmp()) / "outside"
    shutil.rmtree(place, ignore_errors=True)
    left_out = shutil.ignore_patterns("__pycache__", ".hypothesis")
    shutil.copytree(ROOT / "packages" / package / "tests", place / "tests", ignore=left_out)
    shutil.copytree(ROOT / "integration_tests" / "each_package", place / "each_package", ignore=left_out)
    for name in ("README.md", "CHANGELOG.md", "pyproject.toml"):
        shutil.copy(ROOT / "packages" / package / name, place / name)
    return place


@nox.session(requires=["build"])
@nox.parametrize("package", [nox.param(package, id=package) for package in PACKAGES])
def package_tests(session: nox.Session, package: str) -> None:
    """One package's tests, on its wheel and its declared dependencies, with nothing else of ours installed."""
    install(session, package, extra="test")
    place = outside_the_tree(session, package)
    run_pytest(session, f"package-{package}", "tests", "each_package", cwd=place, FACULA_PACKAGE=package)
