"""Source text of the fast path, generated from the templates in `_dispatch/fast/`."""

from __future__ import annotations

import re

from facula_tensor._dispatch.fast import inplace, many, pairs, ternary, unary
from facula_tensor._dispatch.fast.template import filled

NAMES = {
    "functools": "partial",
    "sys": "_getframe",
    "typing": "Any",
    "facula_autograd.extend.hooks": "move_hooks",
    "facula_autograd.extend.modes": "active_modes",
    "facula_autograd.extend.nodes": "LEAF Node next_seq",
    "facula_errors": "FaculaError InvalidTypeError NoMemoryError",
    "facula_errors.extend": "known_modules trim_traceback",
    "facula_storage": "Storage",
    "facula_storage.extend.layouts": "COMPLEX FLOATING",
    "facula_storage.extend.memory": "allocate",
    "facula_storage.extend.objects": "new_instance",
    "facula_storage.extend.recording": "collecting recorders",
    ".._core.call_sites": "user_frame",
    ".._core.tensor": "Tensor",
    ".._dispatch.namespaces": "no_record_ops",
    ".._dispatch.slow_path.inplace": "accumulate slow_inplace",
    ".._dispatch.slow_path.complex_numbers": "with_complex",
    ".._dispatch.slow_path.mixed_dtypes": "call_with_two",
    ".._dispatch.slow_path.launching": "MISSED NOWHERE",
    ".._dispatch.slow_path.modes": "call_in_mode unrecorded",
    ".._dispatch.slow_path.planning": "plan_inplace_of_other_shape plan_of_other_shape",
    ".._dispatch.rules.saved": "SavedOperands SavedTensors save_alias",
    ".._dispatch.slow_path.slow_call": "call_into slow_call",
}
"""The modules, relative to `_forms/`, of the names that templates use."""
TYPES = {(".._core.types", "Function"), (".._dispatch.operator", "Operator")}


def fast_paths() -> dict[str, tuple[list[str], set[tuple[str, str]], set[tuple[str, str]]]]:
    """Return for each file its functions, the names (module, name) that they need, and those only for annotations."""
    files = {}
    for module in (unary, pairs, ternary, many, inplace):
        templates = [member for name, member in vars(module).items() if isinstance(member, type) and name.islower()]
        functions = [filled(template, "$function") for template in templates if hasattr(template, "arguments")]
        words = set(re.findall(r"\w+", "\n".join(functions)))
        needs = {(home, name) for home, names in NAMES.items() for name in words.intersection(names.split())}
        files[module.__name__.removeprefix("facula_tensor.")] = functions, needs, TYPES
    return files
