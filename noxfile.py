"""The tasks of the repository: `nox -l` lists them; a change must pass `nox -s tests`.

Wheels come first: `build` makes each package's wheel once into dist/, together with a constraints
file that takes every sibling from there, and all other sessions install those wheels. So tests never
use sources of the checkout, or a sibling from an index.

Sessions that run programs are in .ci/nox_programs.py, and those of releases in .ci/nox_releases.py.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import nox
from nox.command import CommandFailed

sys.path.insert(0, str(Path(__file__).resolve().parent / ".ci"))
import nox_programs  # noqa: F401
import nox_releases  # noqa: F401  # importing them adds their sessions
from nox_tools import (
    CHARTS,
    CONSTRAINTS,
    DIST,
    EINOPS,
    INTERPRETERS,
    LIBRARIES,
    OBJECTS,
    PACKAGES,
    RESULTS,
    ROOT,
    SCHEMAS,
    TEST_TOOLS,
    WITHOUT_DEPENDENCIES,
    bring_up_to_date,
    build_tools,
    built_wheel,
    distribution,
    family,
    install,
    interpreter_of,
    is_sibling,
    name_of,
    outside_the_tree,
    project,
    requirements,
    run_pytest,
)

nox.needs_version = ">=2025.5.1"
nox.options.default_venv_backend = "virtualenv"  # a dependency of nox; ten times as fast as venv
nox.options.reuse_venv = "yes"
nox.options.error_on_missing_interpreters = True
nox.options.sessions = ["tests"]

PACKAGE_TESTS = [f"package_tests({package})" for package in PACKAGES]
# Every session that a change must pass. They run in parallel, so the longest begin first.
LONGEST = ["package_tests(tensor)", "integration", "package_tests(cpu)", "typing"]
MUST_PASS = [*LONGEST, *(name for name in [*PACKAGE_TESTS, "lint"] if name not in LONGEST)]
LEVELS = ("baseline", "avx2", "avx512", "avx512_bf16")  # instruction sets of the CPU kernels, lowest first
# Tests of the CPU package that do not depend on the level: of kernels that only exist for the baseline, of the build
# and the pool, and tests that try each level themselves.
WITHOUT_LEVELS = ("accuracy", "build", "facula_run", "gather", "index", "models", "pool", "portable")
DIGITS = "scikit-learn>=1.5,<2"  # contains the digits that programs of examples/ read
SMALL_LIBRARIES = ("safetensors", "skorch", "tabulate", "torchdiffeq")  # they require torch, and run on facula
SITE = ("sphinx>=9.0,<10", "myst-parser>=5,<6", "furo>=2025.12", "einops>=0.8,<1")
JAX = "jax>=0.6,<1"  # reads batches of the loader
NOTEBOOKS = ("jupytext>=1.17,<2", "nbclient>=0.10,<1", "ipykernel>=6.29,<8")
ONNX = ("onnx>=1.18,<2", "onnxruntime>=1.32,<2")  # to export networks, and to run them
LARGE = ("cpu", "tensor")  # packages with many tests, which run on all cores
XDIST = "pytest-xdist>=3.6,<4"
SPREAD = ("-n", "auto", "--maxprocesses=4", "--dist=worksteal")
# Sending small tests to other processes costs as much as running them: two sessions keep two cores busy.
SPREADS = (os.cpu_count() or 1) > 2
PYRIGHT = "pyright[nodejs]==1.1.414"  # includes node.js, so only the package index is contacted


@nox.session
def build(session: nox.Session) -> None:
    """Make each package's wheel, and the constraints that name them, in dist/. Unchanged wheels are kept."""
    bring_up_to_date(session, DIST)
    lines = "".join(f"{distribution(package)} @ {built_wheel(package).as_uri()}\n" for package in PACKAGES)
    if not CONSTRAINTS.exists() or CONSTRAINTS.read_text() != lines:  # another session may be reading it
        CONSTRAINTS.write_text(lines)


# Tests ---------------------------------------------------------------------------------------------------------------


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
    session.install("ruff==0.17.*", "import-linter==2.*", SCHEMAS, *TEST_TOOLS)
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
    """Check the files that services read, against their schemas; `lint` checks them, too."""
    session.install(SCHEMAS, *TEST_TOOLS)
    run_pytest(session, "workflows", "integration_tests/repository/test_services.py", cwd=ROOT)


@nox.session(requires=["build"])
def docs(session: nox.Session) -> None:
    """Build the site in .nox/docs/site/, which opens from disk; warnings and failed checks are errors."""
    install(session, *PACKAGES, also=SITE)
    output = ROOT / ".nox" / "docs" / "site"
    session.run("python", "-m", "sphinx", "--fail-on-warning", "--keep-going", "--quiet", "-E", "docs", str(output))
    session.run("python", "docs/_site/check.py", str(output))
    session.log(f"open {output / 'index.html'}")


@nox.session(requires=["build"])
def docs_run(session: nox.Session) -> None:
    """Run tutorials and some guides as notebooks, and write these to .nox/docs/notebooks/; arguments name pages."""
    install(session, *PACKAGES, also=(*TEST_TOOLS, *NOTEBOOKS, DIGITS, *CHARTS, *ONNX, JAX))
    session.install("-q", "--no-deps", "-r", str(ROOT / "docs" / "_site" / "lock.txt"))
    run_pytest(session, "docs_run", "integration_tests/notebooks", cwd=ROOT)
    output = ROOT / ".nox" / "docs" / "notebooks"
    session.run("python", "docs/_site/notebooks.py", str(output), *session.posargs)


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
