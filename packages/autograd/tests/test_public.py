"""The public names, and the README's code."""

import pathlib
import re
import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import facula_autograd
from facula_autograd import extend, func, graph


def test_public_names_exist_and_are_documented():
    subjects = [import_module(f"facula_autograd.extend.{one.name}") for one in iter_modules(extend.__path__)]
    assert len(subjects) == 8
    for module in (facula_autograd, func, graph, *subjects):
        assert module.__all__ == sorted(module.__all__, key=lambda name: (not name.isupper(), name[0].islower(), name))
        for name in module.__all__:
            thing = getattr(module, name)
            if callable(thing):
                assert thing.__doc__, name


def test_readme_examples_run():
    readme = pathlib.Path(__file__).parents[1] / "README.md"
    blocks = re.findall(r"```python\n(.*?)```", readme.read_text(), re.S)
    assert blocks
    for block in blocks:
        subprocess.run([sys.executable, "-"], input=block, text=True, check=True, stdout=subprocess.DEVNULL)
