"""The tasks of the repository: `nox -l` lists them; a change must pass `nox -s tests`.

Wheels come first: `build` makes each package's wheel once into dist/, together with a constraints
file that takes every sibling from there, and all other sessions install those wheels. So tests never
use sources of the checkout, or a sibling from an index.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import xml.etree.ElementTree as ElementTree
from contextlib import suppress
from pathlib import Path

import nox
from nox.command import CommandFailed

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "virtualenv"  # a dependency of nox; ten times as fast as venv
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["tests"]

ROOT = Path(__file__).resolve().parent
DIST = ROOT / "dist"
CONSTRAINTS = DIST / "constraints.txt"
RESULTS = ROOT / ".nox" / "results"
# Compiled kernels, for the builds of all sessions and for development installs; see packages/cpu/setup.py.
OBJECTS = os.environ.get("FACULA_OBJECTS", str(ROOT / ".nox" / "objects"))
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")  # derandomised, 25 examples: each package's tests/conftest.py
PACKAGES = sorted(path.parent.name for path in ROOT.glob("packages/*/pyproject.toml"))
PACKAGE_TESTS = [f"package_tests({package})" for package in PACKAGES]
# Every session that a change must pass. They run in parallel, so the longest begin first.
LONGEST = ["package_tests(tensor)", "integration", "package_tests(cpu)", "typing"]
MUST_PASS = [*LONGEST, *(name for name in [*PACKAGE_TESTS, "lint"] if name not in LONGEST)]
LEVELS = ("baseline", "avx2", "avx512", "avx512_bf16")  # instruction sets of the CPU kernels, lowest first
# Tests of the CPU package that do not depend on the level: of kernels that only exist for the baseline, of the build
# and the pool, and tests that try each level themselves.
WITHOUT_LEVELS = ("accuracy", "build", "facula_run", "gather", "index", "models", "pool", "portable")
TEST_TOOLS = ("pytest>=8,<10", "hypothesis>=6.100,<7")
DIGITS = "scikit-learn>=1.5,<2"  # contains the digits that programs of examples/ read
LIBRARIES = ROOT / "integration_tests" / "libraries"
SMALL_LIBRARIES = ("safetensors", "skorch", "tabulate", "torchdiffeq")  # they require torch, and run on facula
SCHEMAS = {
    "github-workflows": ".github/workflows/*.yml",
    "dependabot": ".github/dependabot.yml",
    "github-issue-config": ".github/ISSUE_TEMPLATE/config.yml",
    "github-issue-forms": ".github/ISSUE_TEMPLATE/[!c]*.yml",
    "citation-file-format": "CITATION.cff",
}
SITE = ("sphinx>=9.0,<10", "myst-parser>=5,<6", "furo>=2025.12", "einops>=0.8,<1")
NOTEBOOKS = ("jupytext>=1.17,<2", "nbclient>=0.10,<1", "ipykernel>=6.29,<8")
EINOPS = "einops>=0.8,<1"  # accepts tensors of the face
ONNX = ("onnx>=1.18,<2", "onnxruntime>=1.32,<2")  # to export networks, and to run them
LARGE = ("cpu", "tensor")  # packages with many tests, which run on all cores
XDIST = "pytest-xdist>=3.6,<4"
SPREAD = ("-n", "auto", "--maxprocesses=4", "--dist=worksteal")
# Sending small tests to other processes costs as much as running them: two sessions keep two cores busy.
SPREADS = (os.cpu_count() or 1) > 2
# Where other packages are installed, too, cuda lacks only NVRTC (90 MB), which only its own tests need.
WITHOUT_DEPENDENCIES = ("cuda",)
INTERPRETERS = ("3.11", "3.12", "3.13")  # each needs other code to observe reads of a program
PYRIGHT = "pyright[nodejs]==1.1.414"  # includes node.js, so only the package index is contacted
TORCH = "torch==2.13.0"  # only for sessions that compare with it: bench, models, conformance, libraries
CHARTS = ("matplotlib>=3.9,<4", "pillow>=10.3,<14")
NOT_SOURCES = shutil.ignore_patterns(
    "build", "changes", "tests", "*.egg-info", "__pycache__", "*.so", "*.o", ".hypothesis", ".*_cache"
)
# Python compiles the modules that a session imports, not all that it installs; virtualenv stores pip in this checkout.
os.environ.setdefault("PIP_COMPILE", "0")
os.environ.setdefault("VIRTUALENV_OVERRIDE_APP_DATA", str(ROOT / ".nox" / "virtualenv"))
os.environ.setdefault("VIRTUALENV_NO_PERIODIC_UPDATE", "1")
os.environ.setdefault("FACULA_CUDA_CACHE", str(ROOT / ".nox" / "cuda"))  # compiled kernels, not in the user's folder


# Metadata of packages -------------------------------------------------------------------------------------------------


def project(package: str) -> dict:
    """Return the contents of packages/PACKAGE/pyproject.toml."""
    return tomllib.loads((ROOT / "packages" / package / "pyproject.toml").read_text())


def distribution(package: str) -> str:
    """Return the distribution of a package: `facula-storage` for `storage`, `facula` for the face."""
    return project(package)["project"]["name"]


def requirements(package: str, extra: str = "") -> list[str]:
    """Return the dependencies that PACKAGE declares, with those of one extra."""
    declared = project(package)["project"]
    return declared.get("dependencies", []) + declared.get("optional-dependencies", {}).get(extra, [])


def is_sibling(name: str) -> bool:
    """Return whether a distribution is one of this repository."""
    return name == "facula" or name.startswith("facula-")


def name_of(requirement: str) -> str:
    """Return the name in a requirement: `numpy` for `numpy>=2.1,<3`."""
    return re.match(r"[\w.-]+", requirement)[0]


def family(package: str) -> list[str]:
    """Return PACKAGE and its direct and indirect dependencies among the siblings."""
    found = [package]
    for member in found:  # the list grows during the loop
        for requirement in requirements(member):
            name = name_of(requirement)
            if is_sibling(name) and name.removeprefix("facula-") not in found:
                found.append(name.removeprefix("facula-"))
    return found


def built_wheel(package: str, folder: Path = DIST) -> Path:
    """Return the only wheel of PACKAGE in a folder."""
    (wheel,) = folder.glob(wheel_pattern(package))
    return wheel


def wheel_pattern(package: str) -> str:
    """Return the glob pattern of PACKAGE's wheels of all versions and tags."""
    return f"{distribution(package).replace('-', '_')}-[0-9]*.whl"


# Wheels --------------------------------------------------------------------------------------------------------------


def fingerprint(package: str, flags: dict[str, str]) -> str:
    """Return a digest of all inputs of a wheel: sources, interpreter, compiler flags."""
    folder = ROOT / "packages" / package
    made_with = (sys.version, platform.machine(), os.environ.get("CFLAGS", ""), sorted(flags.items()))
    digest = hashlib.sha256(repr(made_with).encode())
    for parent, folders, files in os.walk(folder, followlinks=True):  # in a copy of the tree a link may be a folder
        skipped = NOT_SOURCES(parent, [*folders, *files])
        folders[:] = sorted(name for name in folders if name not in skipped)
        for name in sorted(name for name in files if name not in skipped):
            path = Path(parent, name)
            digest.update(f"\0{path.relative_to(folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def make_wheel(session: nox.Session, package: str, output: Path, flags: dict[str, str]) -> None:
    """Build one wheel from a copy of the sources, without files of earlier builds."""
    for old in output.glob(wheel_pattern(package)):
        old.unlink()
    copy = Path(session.create_tmp()).resolve() / package
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(ROOT / "packages" / package, copy, ignore=NOT_SOURCES)
    arguments = ["--wheel", "--no-isolation", "--outdir", str(output), str(copy)]
    session.run("python", "-m", "build", *arguments, silent=True, env={"FACULA_OBJECTS": OBJECTS, **flags})


def bring_up_to_date(session: nox.Session, folder: Path, **flags: str) -> None:
    """Make each package's wheel in `folder`, with compiler flags; keep wheels whose inputs have not changed."""
    folder.mkdir(parents=True, exist_ok=True)
    stamps = folder / "stamps.json"
    made = json.loads(stamps.read_text()) if stamps.exists() else {}
    wanted = {package: fingerprint(package, flags) for package in PACKAGES}
    stale = [
        package
        for package in PACKAGES
        if made.get(package) != wanted[package] or len(list(folder.glob(wheel_pattern(package)))) != 1
    ]
    if stale:
        session.install(*build_tools())
    for package in stale:
        make_wheel(session, package, folder, flags)
        made[package] = wanted[package]
        stamps.write_text(json.dumps(made, indent=1))
    session.log(f"{folder.name}/: built {', '.join(stale) or 'nothing'}; {len(PACKAGES) - len(stale)} kept")


def build_tools() -> list[str]:
    """Return the requirements of all builds; these run without isolation, so each is downloaded once."""
    required = {requirement for package in PACKAGES for requirement in project(package)["build-system"]["requires"]}
    return ["build", "wheel", *sorted(required)]


@nox.session
def build(session: nox.Session) -> None:
    """Make each package's wheel, and the constraints that name them, in dist/. Unchanged wheels are kept."""
    bring_up_to_date(session, DIST)
    lines = "".join(f"{distribution(package)} @ {built_wheel(package).as_uri()}\n" for package in PACKAGES)
    if not CONSTRAINTS.exists() or CONSTRAINTS.read_text() != lines:  # another session may be reading it
        CONSTRAINTS.write_text(lines)


def install(session: nox.Session, *packages: str, extra: str = "", also: tuple[str, ...] = ()) -> None:
    """Install wheels from dist/ and their dependencies; siblings can only come from dist/.

    Among several packages, those of WITHOUT_DEPENDENCIES are installed without.
    """
    # pip does not replace an installed package by a wheel of the same version.
    session.run("python", "-m", "pip", "uninstall", "-qq", "--yes", *map(distribution, PACKAGES), silent=True)
    wanted, apart = [], []
    for package in packages:
        has_extra = extra in project(package)["project"].get("optional-dependencies", {})
        suffix = f"[{extra}]" if has_extra else ""
        several = package in WITHOUT_DEPENDENCIES and len(packages) > 1
        (apart if several else wanted).append(f"{distribution(package)}{suffix} @ {built_wheel(package).as_uri()}")
    session.install("-c", str(CONSTRAINTS), *wanted, *also)
    if apart:
        session.install("--no-deps", *apart)


# Tests ---------------------------------------------------------------------------------------------------------------


def run_pytest(session: nox.Session, report: str, *arguments: str, cwd: Path, **env: str) -> None:
    """Run pytest in `cwd` with the root's settings, and leave a report that `tests` counts."""
    result = RESULTS / f"{report}.xml"
    result.parent.mkdir(parents=True, exist_ok=True)
    result.unlink(missing_ok=True)
    settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={cwd}", f"--junitxml={result}"]
    # nox sets TMPDIR to the session's folder, which other users cannot read; some tests change their user.
    env = {"HYPOTHESIS_PROFILE": PROFILE, "TMPDIR": tempfile.gettempdir(), **env}
    with session.chdir(cwd):
        session.run("python", "-m", "pytest", *settings, *arguments, env=env)


def outside_the_tree(session: nox.Session, package: str) -> Path:
    """Copy PACKAGE's tests, without sources, and the checks that all packages share; return the folder."""
    place = Path(session.create_tmp()).resolve() / "outside"
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
    """Test one package with its wheel and its declared dependencies, without the other packages."""
    for old in RESULTS.glob(f"{package}*.xml"):
        old.unlink()
    spread = SPREAD if package in LARGE and SPREADS else ()
    install(session, package, extra="test", also=(XDIST,) if spread else ())
    place = outside_the_tree(session, package)
    run_pytest(session, package, "tests", *spread, *session.posargs, cwd=place)
    run_pytest(session, f"{package}-each", "each_package", cwd=place, FACULA_PACKAGE=package)
    if package == "cpu":
        for level in lower_levels(session):
            session.log(f"kernels at {level}")
            others = [f"--ignore=tests/test_{name}.py" for name in WITHOUT_LEVELS]
            arguments = ["tests", *others, *spread, *session.posargs]
            run_pytest(session, f"cpu-{level}", *arguments, cwd=place, FACULA_CPU_LEVEL=level)


def lower_levels(session: nox.Session) -> tuple[str, ...]:
    """Return the instruction sets below the default one of this processor."""
    script = "import facula_cpu; print(facula_cpu.level())"
    best = str(session.run("python", "-c", script, silent=True)).strip()
    return LEVELS[: LEVELS.index(best)] if best in LEVELS else ()


@nox.session(requires=["build"])
def ray(session: nox.Session) -> None:
    """Test what facula-distributed does with Ray, which is not installed elsewhere; those tests are skipped there."""
    extras = project("distributed")["project"]["optional-dependencies"]
    install(session, "distributed", extra="test", also=(*extras["ray"], *extras["mpi"]))
    place = outside_the_tree(session, "distributed")
    run_pytest(session, "ray", "tests/test_rpc.py", "tests/test_ray_run.py", *session.posargs, cwd=place)


@nox.session(requires=["build"])
def integration(session: nox.Session) -> None:
    """Test all packages installed together, as for a user: wheels, imports, documents, the README's commands."""
    install(session, *PACKAGES, extra="examples", also=(*TEST_TOOLS, EINOPS, *ONNX, *build_tools()))
    session.install("--no-deps", *locked(*SMALL_LIBRARIES))
    run_pytest(session, "integration", "integration_tests/together", *session.posargs, cwd=ROOT, FACULA_OBJECTS=OBJECTS)
    if not session.posargs:
        run_pytest(session, "integration-captures", "integration_tests/captures", cwd=ROOT)


def locked(*names: str) -> list[str]:
    """Return the requirements of some libraries, from the lock file of `libraries`."""
    return [line for line in (LIBRARIES / "lock.txt").read_text().splitlines() if line.partition("==")[0] in names]


@nox.session(requires=["build"])
def captures(session: nox.Session) -> None:
    """Test that captured functions notice changed state, on each Python of INTERPRETERS that is installed.

    Arguments go to pytest. Interpreters that are missing are named at the end.
    """
    missing, failed = [], []
    for version in INTERPRETERS:
        found = interpreter_of(version)
        if found is None:
            missing.append(version)
            continue
        # A new environment with the wheels of `build`: they use the stable ABI, so they work with each version.
        folder = Path(session.create_tmp()).resolve() / f"python{version}"
        python = str(folder / "bin" / "python")
        session.run(found, "-m", "venv", "--clear", str(folder), external=True, silent=True)
        installed = [package for package in PACKAGES if package not in WITHOUT_DEPENDENCIES]
        wanted = [f"{distribution(package)} @ {built_wheel(package).as_uri()}" for package in installed]
        command = [python, "-m", "pip", "install", "-q", "-c", str(CONSTRAINTS), *wanted, *TEST_TOOLS]
        session.run(*command, external=True)
        result = RESULTS / f"captures-{version}.xml"
        settings = ["-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", f"--junitxml={result}"]
        command = [python, "-m", "pytest", "-q", *settings, "integration_tests/captures", "-m", "", *session.posargs]
        try:
            with session.chdir(ROOT):
                session.run(*command, external=True, env={"TMPDIR": tempfile.gettempdir()})
        except CommandFailed:
            failed.append(version)
    if missing:
        session.warn(f"not run, as this machine has no such interpreter: Python {', '.join(missing)}")
    if failed:
        session.error(f"Python {', '.join(failed)}: tests failed")


def interpreter_of(version: str) -> str | None:
    """Return the executable of a Python version, or None. If the name is a shim of pyenv, that selects the version."""
    program = "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2])"
    name = shutil.which(f"python{version}")
    if name is None:
        return None
    asked = {**os.environ, "PYENV_VERSION": version}
    done = subprocess.run([name, "-c", program], capture_output=True, text=True, env=asked, check=False)
    executable, _, found = done.stdout.strip().rpartition(" ")
    return executable if done.returncode == 0 and found == version else None


@nox.session(requires=["build"])
def nvrtc(session: nox.Session) -> None:
    """Compile all CUDA kernels for three architectures of GPUs: none may spill registers without a stated reason."""
    install(session, "cuda", extra="test", also=(XDIST,))
    place = outside_the_tree(session, "cuda")
    run_pytest(session, "nvrtc", "tests/test_nvrtc.py", "-m", "", *SPREAD, *session.posargs, cwd=place)


@nox.session(requires=["build"])
def thorough(session: nox.Session) -> None:
    """Run all cases that `tests` only samples, and hypothesis with new random inputs, before a release."""
    install(session, *PACKAGES, extra="test", also=(*TEST_TOOLS, EINOPS, XDIST, DIGITS))
    for package in PACKAGES:
        spread = SPREAD if package in LARGE else ()
        arguments = ["tests", "-m", "", *spread, *session.posargs]
        place = outside_the_tree(session, package)
        run_pytest(session, f"thorough/{package}", *arguments, cwd=place, HYPOTHESIS_PROFILE="default")
    for folder in ("together", "captures"):
        run_pytest(session, f"thorough/{folder}", f"integration_tests/{folder}", "-m", "thorough", cwd=ROOT)


@nox.session(venv_backend="none", requires=["build"])
def tests(session: nox.Session) -> None:
    """Run all checks of a change in parallel, or only `-- SESSION ...`; print the number of all tests."""
    session.run(sys.executable, str(ROOT / ".ci" / "side_by_side.py"), *(session.posargs or MUST_PASS))
    counted = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    for report in RESULTS.glob("*.xml"):
        for suite in ElementTree.parse(report).iter("testsuite"):
            for key in counted:
                counted[key] += int(suite.get(key, 0))
    failed = counted["failures"] + counted["errors"]
    passed = counted["tests"] - failed - counted["skipped"]
    print(f"total: {passed} passed, {failed} failed, {counted['skipped']} skipped")


@nox.session(venv_backend="none")
def kernels(session: nox.Session) -> None:
    """Compile changed C code in place, for development installs: one line of one kernel takes seconds."""
    inside = ROOT / ".venv" / "bin" / "python"
    python = str(inside) if inside.exists() else sys.executable
    for package in PACKAGES:
        folder = ROOT / "packages" / package
        if (folder / "setup.py").exists():
            with session.chdir(folder):
                session.run(python, "setup.py", "-q", "build_ext", "--inplace", env={"FACULA_OBJECTS": OBJECTS})


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, formatting, imports between packages, and the rules of this repository."""
    session.install("ruff==0.17.*", "import-linter==2.*", *TEST_TOOLS)
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    sources = os.pathsep.join(str(ROOT / "packages" / package / "src") for package in PACKAGES)
    session.run("lint-imports", "--no-cache", env={"PYTHONPATH": sources})
    run_pytest(session, "lint", "integration_tests/repository", cwd=ROOT)


@nox.session(requires=["build"])
def typing(session: nox.Session) -> None:
    """Run mypy on all packages' sources together; then mypy and pyright on users' programs, with the wheels."""
    session.install("mypy==2.4.*", "types-cffi", "numpy>=2.1,<3")
    sources = [str(ROOT / "packages" / package / "src") for package in PACKAGES]
    session.run("mypy", *sources, env={"MYPYPATH": os.pathsep.join(sources)})
    install(session, *PACKAGES, also=(PYRIGHT, EINOPS, *TEST_TOOLS))
    run_pytest(session, "typing", "integration_tests/type_checkers", cwd=ROOT)


@nox.session(requires=["build"])
@nox.parametrize("package", [nox.param(package, id=package) for package in PACKAGES])
def lowest(session: nox.Session, package: str) -> None:
    """Test one package with the lowest third-party versions that it declares."""
    floors = Path(session.create_tmp()).resolve() / "floors.txt"
    floors.write_text("".join(f"{floor}\n" for floor in lowest_versions(package)))
    install(session, package, extra="test", also=("-c", str(floors)))
    run_pytest(session, f"lowest/{package}", "tests", *session.posargs, cwd=outside_the_tree(session, package))


def lowest_versions(package: str) -> list[str]:
    """Return the lowest third-party requirements of PACKAGE and its family: `numpy==2.1` for `numpy>=2.1,<3`."""
    floors: dict[str, str] = {}
    for member in family(package):
        for requirement in requirements(member, "test" if member == package else ""):
            name, floor = re.match(r"([\w.-]+)\s*[>=]=\s*([\w.]+)", requirement).groups()
            if not is_sibling(name):
                floors[name] = max(floors.get(name, floor), floor, key=lambda v: [int(part) for part in v.split(".")])
    return [f"{name}=={floor}" for name, floor in sorted(floors.items())]


@nox.session
def workflows(session: nox.Session) -> None:
    """Check the files that services read, against the schemas that check-jsonschema contains: no network."""
    session.install("check-jsonschema>=0.39,<1")
    for schema, pattern in SCHEMAS.items():
        session.run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, sorted(ROOT.glob(pattern))))


@nox.session(requires=["build"])
def docs(session: nox.Session) -> None:
    """Build the site in .nox/docs/site/, which opens from disk; warnings, such as dead links, are errors."""
    install(session, *PACKAGES, also=SITE)
    output = ROOT / ".nox" / "docs" / "site"
    session.run("python", "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-E", "docs", str(output))
    session.log(f"open {output / 'index.html'}")


@nox.session(requires=["build"])
def docs_run(session: nox.Session) -> None:
    """Run each tutorial as a notebook, and write the notebooks to .nox/docs/notebooks/; arguments name tutorials."""
    install(session, *PACKAGES, also=(*NOTEBOOKS, DIGITS, *CHARTS, *ONNX))
    output = ROOT / ".nox" / "docs" / "notebooks"
    session.run("python", "docs/_site/notebooks.py", str(output), *session.posargs)


# Programs ------------------------------------------------------------------------------------------------------------


@nox.session(requires=["build"])
def train(session: nox.Session) -> None:
    """Train the example on handwritten digits, on the built wheels alone; arguments go to the program."""
    install(session, "facula", extra="examples")
    session.chdir(session.create_tmp())
    session.run("python", "-m", "facula.examples.digits", *session.posargs)


@nox.session(requires=["build"])
def bench(session: nox.Session) -> None:
    """Compare with PyTorch in one run: a table, JSON and a chart in results/; arguments go to the program.

    With `-- --against COMMIT` compare with facula as it was at that commit, row by row; further arguments select rows.
    """
    mpi = requirements("distributed", "mpi")[-2:]
    install(session, "facula", also=(TORCH, *CHARTS, *mpi, "jax>=0.6,<1", "autograd>=1.8,<2"))
    if session.posargs[:1] == ["--against"]:
        commit, *options = session.posargs[1:]
        session.run("python", "-m", "benchmarks.builds", installed_at(session, commit), *options)
    else:
        session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(requires=["build"])
def models(session: nox.Session) -> None:
    """Compare training steps of nine models with PyTorch: a table, JSON and a chart in results/; 40 minutes.

    Arguments go to the program: `nox -s models -- --only resnet --rounds 5`.
    """
    install(session, "facula", also=(TORCH, *CHARTS))
    session.run("python", "-m", "benchmarks.models", *session.posargs)


def installed_at(session: nox.Session, commit: str) -> str:
    """Build the packages of a commit from a copy of its files; return the folder in which they are installed."""
    place = Path(session.create_tmp()).resolve() / "other"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    archive = str(place / "sources.tar")
    session.run("git", "archive", f"--output={archive}", commit, "packages", external=True, silent=True)
    shutil.unpack_archive(archive, place)
    session.install(*build_tools())
    sources = [str(path.parent) for path in sorted(place.glob("packages/*/pyproject.toml"))]
    target = str(place / "installed")
    command = [
        "python",
        "-m",
        "pip",
        "install",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "--target",
        target,
        *sources,
    ]
    session.run(*command, env={"FACULA_OBJECTS": OBJECTS})
    return target


@nox.session(requires=["build"])
def soak(session: nox.Session) -> None:
    """Run thousands of steps of random batch and length, and hundreds of loaders with killed workers; look for leaks.

    Arguments go to the steps, and then the loaders are skipped.
    """
    install(session, "facula")
    session.run("python", str(ROOT / "integration_tests" / "soak.py"), *session.posargs)
    if not session.posargs:
        session.run("python", str(ROOT / "integration_tests" / "soak_workers.py"))


@nox.session(requires=["build"])
def fuzz(session: nox.Session) -> None:
    """Load 500,000 changed files, or the number in an argument: `facula.load` never crashes or runs code of a file."""
    install(session, "facula", extra="test", also=TEST_TOOLS)
    number = session.posargs[0] if session.posargs else "500000"
    place = outside_the_tree(session, "facula")
    run_pytest(
        session, "fuzz", "tests/test_fuzzed_files.py", "-o", "faulthandler_timeout=0", cwd=place, FACULA_FUZZ=number
    )


@nox.session(requires=["build"])
def conformance(session: nox.Session) -> None:
    """Compare with PyTorch's own cases: `nox -s conformance -- HARNESS [options]`, HARNESS a folder with ops.py.

    Without arguments, only write PyTorch's results, which the tests expect, and its names, with which errors
    distinguish missing names from misspelt ones (integration_tests/reference), and convert checkpoints to PyTorch
    and back (integration_tests/conformance).
    """
    install(session, *PACKAGES, extra="examples", also=(TORCH, "expecttest", "safetensors>=0.8,<0.9", *TEST_TOOLS))
    for script in sorted(ROOT.glob("integration_tests/reference/write_*.py")):
        session.run("python", str(script))
    run_pytest(session, "conformance/checkpoints", "integration_tests/conformance", cwd=ROOT)
    if session.posargs:
        harness, *options = session.posargs
        (ROOT / "results").mkdir(exist_ok=True)
        report = str(ROOT / "results" / "conformance.json")
        session.run("python", str(Path(harness).resolve() / "ops.py"), "facula", "--out", report, *options)


@nox.session(requires=["build"])
def planted(session: nox.Session) -> None:
    """Plant defects in the installed packages: the test named for each must fail; `-- -k TEXT` selects some."""
    install(session, *PACKAGES, extra="test", also=(*TEST_TOOLS, *build_tools()))
    env = {"FACULA_OBJECTS": OBJECTS, "HYPOTHESIS_PROFILE": PROFILE, "TMPDIR": tempfile.gettempdir()}
    session.run("python", "integration_tests/planted/plant.py", *session.posargs, env=env)


@nox.session(requires=["build"])
def libraries(session: nox.Session) -> None:
    """Run programs of libraries for PyTorch on it and on facula, and compare their results; names of libraries select.

    Both environments have the packages of integration_tests/libraries/lock.txt. Only one has torch.
    """
    lock = ("-q", "--no-deps", "-r", str(LIBRARIES / "lock.txt"))
    install(session, "facula")
    session.install(*lock)
    absent = "import importlib.metadata as m; assert 'torch' not in {one.name for one in m.distributions()}"
    session.run("python", "-c", absent)
    place = Path(session.create_tmp()).resolve()
    theirs = str(place / "with_torch" / "bin" / "python")
    if not Path(theirs).exists():
        session.run("python", "-m", "venv", str(place / "with_torch"))
    for wanted in (("-q", TORCH), lock):
        session.run(theirs, "-m", "pip", "install", *wanted, external=True)
    session.run(theirs, "-m", "pip", "check", external=True)  # the lock file names all requirements of its packages
    names = session.posargs or sorted(path.stem.removeprefix("on_") for path in LIBRARIES.glob("on_*.py"))
    for name in names:
        program = str(LIBRARIES / f"on_{name}.py")
        expected, found = place / f"{name}.torch.npz", place / f"{name}.facula.npz"
        for old in (expected, found):
            old.unlink(missing_ok=True)
        with suppress(CommandFailed):  # the table shows which program failed
            session.run(theirs, program, str(expected), external=True)
        with suppress(CommandFailed):
            session.run("python", "-m", "facula", "run", program, str(found))
    session.run("python", str(LIBRARIES / "compare.py"), str(place), *names)


@nox.session
def asan(session: nox.Session) -> None:
    """Test packages with C code, built with AddressSanitizer and UBSan, with one malloc for each block."""
    # Checks as calls, without the four kinds that are frequent in vector code: else kernels take half an hour.
    flags = "-fsanitize=address,undefined -fno-sanitize=alignment,null,object-size,pointer-overflow "
    flags += "-fno-sanitize-recover=undefined --param=asan-instrumentation-with-call-threshold=0"
    wheels = ROOT / ".nox" / "asan-wheels"
    bring_up_to_date(session, wheels, CFLAGS=flags, LDFLAGS=flags)
    built = [str(built_wheel(package, wheels)) for package in PACKAGES]
    needed = {requirement for package in PACKAGES for requirement in requirements(package, "test")}
    needed -= {requirement for requirement in needed if name_of(requirement) == "nvidia-cuda-nvrtc"}
    session.install(*sorted(requirement for requirement in needed if not is_sibling(name_of(requirement))))
    session.install("--no-deps", "--force-reinstall", *built)
    library = str(session.run("gcc", "-print-file-name=libasan.so", external=True, silent=True)).strip()
    env = {
        "LD_PRELOAD": library,
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:quarantine_size_mb=16",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "FACULA_ALLOCATOR": "malloc",
        "FACULA_SANITIZE": flags,
    }
    run_pytest(session, "asan/planted", "integration_tests/sanitizers", cwd=ROOT, **env)
    failed = []
    for package in PACKAGES:
        if not any((ROOT / "packages" / member / "setup.py").exists() for member in family(package)):
            continue
        place = outside_the_tree(session, package)
        # A sanitizer writes its report to the file descriptor and ends the process: pytest must leave that alone.
        arguments = ["tests", "-m", "not unsanitized and not thorough", "--capture=sys", *session.posargs]
        try:
            run_pytest(session, f"asan/{package}", *arguments, cwd=place, **env)
        except CommandFailed:
            failed.append(package)
    if failed:
        session.error(f"under sanitizers: {', '.join(failed)}")


@nox.session
def release(session: nox.Session) -> None:
    """Check that a package is ready and build its files: `nox -s release -- NAME`; docs/how-to/releasing.md."""
    session.install(*build_tools())
    output = str(ROOT / "results" / "release")
    command = ["python", str(ROOT / ".ci" / "release.py"), "check", *session.posargs, output]
    session.run(*command, env={"FACULA_OBJECTS": OBJECTS})
