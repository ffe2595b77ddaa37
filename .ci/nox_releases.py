"""Sessions of nox for releases: docs/how-to/releasing.md."""

from __future__ import annotations

import nox
from nox_tools import OBJECTS, ROOT, build_tools


@nox.session
def release(session: nox.Session) -> None:
    """Check that a package is ready and build its files: `nox -s release -- NAME`; docs/how-to/releasing.md."""
    session.install(*build_tools())
    output = str(ROOT / "results" / "release")
    command = ["python", str(ROOT / ".ci" / "release.py"), "check", *session.posargs, output]
    session.run(*command, env={"FACULA_OBJECTS": OBJECTS})
