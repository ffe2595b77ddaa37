"""A package's public names: one explicit list, one home for each name, and every name exists."""

import importlib
import pkgutil
import re
import sys
from types import ModuleType


def public_modules(module_name):
    """Return the package and its public submodules, except programs with a `__main__` guard."""
    root = importlib.import_module(module_name)
    yield root
    for found in pkgutil.iter_modules(root.__path__, prefix=f"{module_name}."):
        name = found.name.rpartition(".")[2]
        if not name.startswith("_") and name != "as_torch":  # changes the meaning of `import torch`
            yield importlib.import_module(found.name)


def test_all_is_explicit_sorted_by_case_and_true(module_name):
    for module in public_modules(module_name):
        names = getattr(module, "__all__", None)
        if names is None:
            assert module.__name__ != module_name, f"{module_name}/__init__.py has no __all__"
            continue
        assert len(names) == len(set(names)), f"{module.__name__}.__all__ repeats a name"
        missing = [name for name in names if not hasattr(module, name)]
        assert not missing, f"{module.__name__}.__all__ names what is not there: {missing}"
        private = [name for name in names if name.startswith("_") and not name.startswith("__")]
        assert not private, f"{module.__name__}.__all__ has private names: {private}"


def documented(root, module, name):
    """Return whether a name in `dir` is public: listed, Python's own, a public module, or a sibling's."""
    if name in module.__all__ or (name.startswith("__") and name.endswith("__")):
        return True
    table = sys.modules.get("facula._lookup.places")  # re-exports without code
    if table is not None and name in table.public_names(module.__name__):
        return True
    value = getattr(module, name)
    if isinstance(value, ModuleType):
        return value.__name__ == f"{module.__name__}.{name}" and not name.startswith("_")
    siblings = [other for key, other in list(sys.modules.items()) if re.fullmatch(r"facula_\w+", key)]
    theirs = [getattr(other, found, None) for other in siblings if other is not root for found in other.__all__]
    return not name.startswith("_") and any(value is other for other in theirs)


def test_dir_shows_what_is_public(module_name):
    """Check that `dir` shows all listed names, and no leaked import, helper or private module."""
    root = importlib.import_module(module_name)
    for module in public_modules(module_name):
        if {"extend", "examples"}.intersection(module.__name__.split(".")) or not hasattr(module, "__all__"):
            continue  # for siblings, for programs, and folders of modules
        shown = dir(module)
        assert set(module.__all__) <= set(shown), module.__name__
        leaked = [name for name in shown if not documented(root, module, name)]
        assert not leaked, f"dir({module.__name__}) shows {leaked}"
        assert "__doc__" in shown


def test_importing_starts_nothing(module_name):
    """Check that an import starts no thread and changes no signal handler or environment variable."""
    import os
    import subprocess
    import sys

    script = (
        "import os, signal, threading\n"
        "before = dict(os.environ), [signal.getsignal(s) for s in signal.valid_signals()]\n"
        f"import {module_name}\n"
        "after = dict(os.environ), [signal.getsignal(s) for s in signal.valid_signals()]\n"
        "assert before == after, 'environment or signal handlers changed'\n"
        "threads = os.listdir('/proc/self/task') if os.path.isdir('/proc/self/task') else threading.enumerate()\n"
        "assert len(threads) == 1, threads\n"
    )
    # NumPy's BLAS starts threads on import; with one thread only the package's remain to be counted.
    env = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    subprocess.run([sys.executable, "-c", script], check=True, env=env)
