"""The package as a whole: its cost for a program that imports it without captures."""

import subprocess
import sys

PROGRAM = """
import facula_tensor as ft
from facula_autograd.extend import active_modes

places = (ft, ft.Tensor, type(ft.add))
before = [dict(vars(place)) for place in places]
import facula_jit

changed = [name for place, had in zip(places, before) for name in had if vars(place).get(name) is not had[name]]
print(sorted(changed), list(active_modes))
"""


def test_importing_it_leaves_operators_and_modes_alone():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert done.stdout == "[] []\n", done.stdout + done.stderr
