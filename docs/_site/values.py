"""Describes public names that are neither functions nor classes, from the comments at their assignments."""

import ast
import importlib
import inspect
import re
import sys
from functools import cache
from pathlib import Path

from facula._lookup import places
from facula_storage import DType

SHOWN = (bool, int, float, str, type(None))  # types whose values a page shows
KINDS = ("Truth values", "Integers", "Floating-point numbers", "Complex numbers")  # by the category of a dtype
COMMENT = re.compile(r"^\s*#:? (.*)")


@cache
def assignments(module):
    """Return the comments and docstrings at the assignments of a module by name, and where imported names are from."""
    path = str(getattr(importlib.import_module(module), "__file__", None))
    path = re.sub(r"\.\w+\.so$", ".pyi", path)
    if not path.endswith((".py", ".pyi")):
        return {}, {}
    lines, found, imported = Path(path).read_text().splitlines(), {}, {}
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    body = ast.parse("\n".join(lines)).body
    body += [inner for node in body if isinstance(node, ast.If | ast.With | ast.Try) for inner in node.body]
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.ImportFrom):
            base = package.rsplit(".", node.level - 1)[0] if node.level else ""
            place = ".".join(part for part in (base, node.module) if part)
            names = {alias.asname or alias.name: (place, alias.name) for alias in node.names}
            if place.startswith("facula"):
                imported |= names
            else:
                found |= dict.fromkeys(names, text_at(lines, node, None))
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for part in (part for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)):
                found[part.id] = found.get(part.id) or text_at(lines, node, after)
    return found, imported


def text_at(lines, node, after):
    """Return the text after an assignment in its line, or else as a string below it or as comments above it."""
    last = lines[node.end_lineno - 1].rpartition("  # ")[2]
    if last != lines[node.end_lineno - 1] and not last.startswith(("type:", "fmt:", "noqa")):
        return last
    if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant) and isinstance(after.value.value, str):
        return inspect.cleandoc(after.value.value)
    above = []
    for line in reversed(lines[: node.lineno - 1]):
        if not (comment := COMMENT.match(line)) or comment[1].endswith("---"):
            break
        above.insert(0, comment[1])
    return " ".join(above)


def comment_of(module, name):
    """Return the text at the assignment of a name, in the module that it is imported from; "" if there is none."""
    found, imported = assignments(module)
    if name in found:
        return found[name]
    if name in imported:
        return comment_of(*imported[name])
    rows = places.rows_of(module)
    row = rows.get(name) or rows.get("*")
    return comment_of(row.rest, row.path if name in rows else name) if row and row.kind == "works" else ""


def comment_anywhere(name, value):
    """Return the text at the assignment of a name that packages load when it is used, in the module with the object."""
    for module in sorted(sys.modules):
        if module.startswith("facula") and vars(sys.modules[module]).get(name) is value:
            if text := assignments(module)[0].get(name):
                return text
    return ""


def about_dtype(dtype):
    """Return what elements of a dtype are, and their size."""
    sign = "" if dtype.is_signed or not dtype.category else " without a sign"
    stored = "" if dtype.promotes else " Operators do not combine it with other dtypes: convert the operands first."
    size = "1 byte" if dtype.itemsize == 1 else f"{dtype.itemsize} bytes"
    return f"{KINDS[dtype.category]}{sign}, {size} each.{stored}"


def text_of(module, name, value):
    """Return a sentence about a value."""
    if isinstance(value, DType):
        return about_dtype(value)
    text = comment_of(module, name) or ("" if isinstance(value, SHOWN) else comment_anywhere(name, value))
    if not text and type(value).__module__.startswith("facula"):
        text = type(value).__doc__ or ""
    text = " ".join(text.partition("\n\n")[0].split())
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', ':')) or not text else '.'}"
