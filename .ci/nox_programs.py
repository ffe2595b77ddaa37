"""Sessions of nox that run programs: training, benchmarks, comparisons with PyTorch, searches for defects."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import nox
from nox.command import CommandFailed
from nox_tools import (
    CHARTS,
    EINOPS,
    LIBRARIES,
    OBJECTS,
    PACKAGES,
    PROFILE,
    ROOT,
    SCHEMAS,
    TEST_TOOLS,
    build_tools,
    install,
    outside_the_tree,
    requirements,
    run_pytest,
)

TORCH = "torch==2.13.0"  # only for sessions that compare with it: bench, models, conformance, libraries


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
    and back (integration_tests/conformance). Also run the pages with blocks that need torch.
    """
    install(session, *PACKAGES, extra="examples", also=(TORCH, "expecttest", "safetensors>=0.8,<0.9", *TEST_TOOLS))
    for script in sorted(ROOT.glob("integration_tests/reference/write_*.py")):
        session.run("python", str(script))
    run_pytest(session, "conformance/checkpoints", "integration_tests/conformance", cwd=ROOT)
    pages = ("integration_tests/together/test_docs.py", "-k", "loader-alone or installing")
    run_pytest(session, "conformance/pages", *pages, cwd=ROOT)
    if session.posargs:
        harness, *options = session.posargs
        (ROOT / "results").mkdir(exist_ok=True)
        report = str(ROOT / "results" / "conformance.json")
        session.run("python", str(Path(harness).resolve() / "ops.py"), "facula", "--out", report, *options)


@nox.session(requires=["build"])
def planted(session: nox.Session) -> None:
    """Plant defects in the installed packages: the test named for each must fail; `-- -k TEXT` selects some."""
    install(session, *PACKAGES, extra="test", also=(*TEST_TOOLS, EINOPS, SCHEMAS, *build_tools()))
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
