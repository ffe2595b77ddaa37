"""Run one scenario as twins: the same program eagerly and captured, each with separate state.

Both make the same calls with the same arguments: five, then the state is changed, three calls, the state is changed
back, three calls. The twins are compared by the result of each call (bytes, shape, type, requires_grad, or the
exception's type) and, if the scenario names it, by the state that the function changes.
"""

from __future__ import annotations

import importlib.util
import linecache
import random
import re
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scenarios import BREAKS, FOLLOWS, RECAPTURES, Scenario

import facula

if TYPE_CHECKING:
    from collections.abc import Callable

CALLS = (5, 3, 3)
OPTIONS: dict[str, dict[str, Any]] = {"capture": {}, "split": {"on_break": "split"}}


def described(value: Any) -> Any:
    """Return the properties of a value that are compared."""
    if isinstance(value, facula.Tensor):
        array = value.detach().numpy()
        return f"{type(value).__name__} {array.dtype} {array.shape} {value.requires_grad} {array.tolist()}"
    if isinstance(value, (tuple, list)):
        return [described(one) for one in value]
    return repr(value)


def loaded(source: str, path: Path) -> Any:
    """Load a module of this source, and register the source for `inspect`."""
    path.write_text(source)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # dataclasses and pickle find it here
    spec.loader.exec_module(module)
    return module


def result_of(function: Callable[[], Any]) -> Any:
    try:
        return described(function())
    except Exception as error:
        return f"raised {type(error).__name__}"


def run(
    scenario: Scenario, folder: Path, wrap: Callable[[Any], Any], changes: bool = True
) -> tuple[list[Any], list[str]]:
    """Return the results of all calls and changes, and the capture's reports before each change and at the end."""
    kind, name = scenario.kind, f"program_{abs(hash((scenario.name, id(wrap))))}"
    for file, text in kind.files.items():
        (folder / f"{file}.py").write_text(text)
    imported, number = set(sys.modules), 0
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode, writes = True, sys.dont_write_bytecode
    module = None
    try:
        module = loaded(scenario.source, folder / f"{name}.py")
        space, function, found, reports = vars(module), wrap(module.f), [], []
        for value, calls in zip((2, 3, 2), CALLS):
            if number:
                space["V"] = value
                if changes:
                    exec(compile(kind.change, f"<change of {kind.name}>", "exec"), space)
                found.append(result_of(lambda: eval(kind.observe, space)))
            for _ in range(calls):
                number += 1
                random.seed(number)
                np.random.seed(number)
                facula.manual_seed(number)
                found.append(result_of(lambda: function(*eval(kind.args, space))))
                found.append(result_of(lambda: eval(kind.observe, space)))
            reports.append(function.report() if isinstance(function, facula.jit.Captured) else "")
        return found, reports
    finally:
        if module is not None:
            exec(kind.undo, vars(module))
        facula.set_grad_enabled(True)
        sys.dont_write_bytecode = writes
        sys.path.remove(str(folder))
        for one in {name, *kind.files} | {one for one in set(sys.modules) - imported if one.startswith("own_")}:
            sys.modules.pop(one, None)
        linecache.cache.pop(str(folder / f"{name}.py"), None)
        with suppress(FileNotFoundError):
            (folder / f"{name}.py").unlink()


def eager(scenario: Scenario, folder: Path, changes: bool = True) -> list[Any]:
    return run(scenario, folder, lambda function: function, changes)[0]


def captured(scenario: Scenario, folder: Path, mode: str = "capture") -> tuple[list[Any], list[str]]:
    """Return the results of the captured twin, and the capture's reports."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run(scenario, folder, lambda function: facula.capture(function, **OPTIONS[mode]))


def differences(scenario: Scenario, wanted: list[Any], found: list[Any]) -> list[str]:
    """Return the differences between the twins.

    For state that no two runs share, return the calls whose result equals that of the previous call.
    """
    if not scenario.kind.compares:
        results = [one for one in found if one != repr(None)]  # such programs observe no state
        return [f"entry {at}: the same again, {one}" for at, one in enumerate(results) if at and one == results[at - 1]]
    return [
        f"entry {at}: eager {a}, captured {b}" for at, (a, b) in enumerate(zip(wanted, found, strict=True)) if a != b
    ]


def behaviour_of(reports: list[str]) -> str:
    """Classify a capture by its reports before the first change, before the second one, and at the end."""
    if re.search(r"eagerly|runs split|not captured yet", reports[-1]) or "replayed" not in reports[-1]:
        return BREAKS
    captures = re.findall(r"replayed (\w+)", reports[-1])
    replays = [sum(map(count_of, re.findall(r"replayed (\w+)", one))) for one in reports]
    went_on = len(captures) == 1 and "captured again" not in reports[-1] and replays[1] - replays[0] == CALLS[1]
    return FOLLOWS if went_on else RECAPTURES


def count_of(word: str) -> int:
    """Return the number of "never", "once" or "3 times"."""
    return ("never", "once").index(word) if word.isalpha() else int(word)
