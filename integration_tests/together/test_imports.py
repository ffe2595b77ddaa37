"""`import facula` loads exactly the modules that imported.txt lists: each costs start-up time of every program.

Run as a program, this file writes the list.
"""

import subprocess
import sys
from pathlib import Path

LIST = Path(__file__).with_name("imported.txt")


def loaded_by(statement: str) -> set[str]:
    """Return the modules that a fresh interpreter loads for a statement, including removed ones, by `-X importtime`."""
    command = [sys.executable, "-X", "importtime", "-c", statement]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = (line for line in done.stderr.splitlines() if line.startswith("import time:"))
    return {line.rpartition("|")[2].strip() for line in lines} - {"imported package"}


def added() -> set[str]:
    """Return the modules that `import facula` loads in addition to `import numpy`."""
    return loaded_by("import facula") - loaded_by("import numpy")


def complaint(loaded: set[str], listed: set[str]) -> str:
    """Describe differences from the list and the remedy; return an empty text if there are none."""
    new = loaded - listed
    # Third-party modules may be missing: another release of NumPy loads them first.
    gone = {name for name in listed - loaded if name.partition(".")[0].startswith("facula")}
    said = ""
    if new:
        said += f"`import facula` loads what is not in {LIST.name}: {', '.join(sorted(new))}. Import it inside the "
        said += "function that needs it, or give it out by a module's `__getattr__`; if every program needs it, "
    elif gone:
        said += f"`import facula` no longer loads {', '.join(sorted(gone))}: "
    if said:
        said += f"write the list again with `python {'/'.join(Path(__file__).parts[-3:])}`."
    return said


def test_import_loads_what_is_listed():
    listed = LIST.read_text().split()
    assert listed == sorted(set(listed))
    wrong = complaint(added(), set(listed))
    assert not wrong, wrong


def test_a_new_module_and_a_lost_one_are_named():
    listed = {"facula", "facula_tensor._late", "heapq"}
    assert complaint({"facula", "facula_tensor._late"}, listed) == ""
    assert "loads what is not in imported.txt: scipy.special. Import it inside" in complaint(
        {*listed, "scipy.special"}, listed
    )
    assert "no longer loads facula_tensor._late: write the list again" in complaint({"facula"}, listed)


if __name__ == "__main__":
    LIST.write_text("".join(f"{name}\n" for name in sorted(added())))
