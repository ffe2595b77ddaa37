"""What the statements of a function set, read and do, as far as its tree says."""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAVES = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom)
WORK = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.AugAssign)  # that tensors may do
DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CATCHES = (ast.Try, ast.With, ast.AsyncWith, getattr(ast, "TryStar", ast.Try))
LOOPS = (ast.For, ast.While, ast.AsyncFor)
BLOCKS = ("body", "orelse", "finalbody")
FRAMES = ("locals", "exec", "eval")
TWICE = "create_graph"
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def is_at(one: ast.stmt, line: int) -> bool:
    """Whether a statement has this line."""
    return one.lineno <= line <= (one.end_lineno or one.lineno)


def parts_of(one: ast.stmt, blocks: Sequence[str]) -> list[ast.stmt]:
    """The statements in the blocks of a statement."""
    parts = [part for name in blocks for part in getattr(one, name)]
    return parts + [part for owner in owners_in(one) for part in owner.body]


def owners_in(one: ast.stmt) -> list[Any]:
    """Handlers of exceptions and cases, which have blocks of their own."""
    return [*getattr(one, "handlers", ()), *getattr(one, "cases", ())]


def loaded(block: Sequence[ast.AST]) -> frozenset[str]:
    """The names that are read or deleted, in functions and comprehensions inside too."""
    nodes = [one for part in block for one in ast.walk(part)]
    names = [one for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Store)]
    names += [one.target for one in nodes if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)]
    return frozenset([one.id for one in names])


def stored(block: Sequence[ast.AST]) -> frozenset[str]:
    """The names that are set, not counting those of functions and comprehensions inside."""
    return frozenset([name for part in block for name, _, _ in _settings(part)])


def restless(tree: ast.FunctionDef, code: CodeType) -> frozenset[str]:
    """Variables that functions inside read, and that may be set anew after these were made."""
    inner = _later_run(tree.body)
    lazy = loaded([one for one in inner if isinstance(one, ast.GeneratorExp)])
    found = {one.arg: [0] for one in ast.walk(tree.args) if isinstance(one, ast.arg)}
    for name, line, is_looped in [one for part in tree.body for one in _settings(part)]:
        found.setdefault(name, []).extend([line] * (1 + is_looped))
    return frozenset(
        [
            name
            for name in (_shared(code) | lazy) & found.keys()
            if len(found[name]) > 1 or any([one.lineno < found[name][0] and name in loaded([one]) for one in inner])
        ]
    )


def _later_run(block: Sequence[ast.AST]) -> list[Any]:
    """What may run later than where it stands: functions, and generators that no call uses up at once."""
    nodes = [one for part in block for one in ast.walk(part)]
    used = {id(one) for call in nodes if isinstance(call, ast.Call) for one in call.args}
    return [
        one
        for one in nodes
        if isinstance(one, (*DEFINES, ast.Lambda)) or (isinstance(one, ast.GeneratorExp) and id(one) not in used)
    ]


def _shared(code: CodeType) -> frozenset[str]:
    """The variables that functions inside a code object read, but for comprehensions, which are over at once."""
    parts = [one for one in code.co_consts if isinstance(one, CodeType)]
    shared = [_shared(one) if one.co_name in COMPREHENSIONS else one.co_freevars for one in parts]
    return frozenset([name for names in shared for name in names])


def _settings(tree: ast.AST, is_looped: bool = False) -> Iterator[tuple[str, int, bool]]:
    """The names that a statement sets, at which line, and whether in a loop."""
    line = getattr(tree, "lineno", 0)
    if isinstance(tree, ast.Lambda):
        return
    if isinstance(tree, DEFINES):
        yield tree.name, line, is_looped
        return
    if isinstance(tree, ast.Name) and isinstance(tree.ctx, ast.Store):
        yield tree.id, line, is_looped
    elif isinstance(tree, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and tree.name:
        yield tree.name, line, is_looped
    elif isinstance(tree, ast.MatchMapping) and tree.rest:
        yield tree.rest, line, is_looped
    elif isinstance(tree, ast.alias):
        yield (tree.asname or tree.name.partition(".")[0]), line, is_looped
    is_looped = is_looped or isinstance(tree, LOOPS)
    for part in ast.iter_child_nodes(tree):
        if not (isinstance(tree, ast.comprehension) and part is tree.target):
            yield from _settings(part, is_looped)


def works(tree: ast.AST) -> bool:
    """Whether tensors may have something to do there."""
    return any([isinstance(one, WORK) for one in ast.walk(tree)])


def is_plain(one: ast.stmt) -> bool:
    return not works(one) or isinstance(one, DEFINES)


def leaves(tree: ast.AST, in_loop: bool = False) -> bool:
    """Whether a statement leaves its block, deletes names, or binds modules."""
    if isinstance(tree, LEAVES) or (isinstance(tree, (ast.Break, ast.Continue)) and not in_loop):
        return True
    if isinstance(tree, ast.Delete):
        return any([isinstance(one, ast.Name) for one in tree.targets])
    if isinstance(tree, (*DEFINES, ast.Lambda)):
        return False
    inside = tree.body if isinstance(tree, LOOPS) else ()  # what follows it as `else` is not in it
    return any([leaves(one, in_loop or one in inside) for one in ast.iter_child_nodes(tree)])


def shares(tree: ast.AST, names: frozenset[str]) -> bool:
    """Whether a statement sets one of these variables, or makes a function that reads one."""
    return bool(names) and not names.isdisjoint(stored([tree]) | loaded(_later_run([tree])))


def line_of_second(tree: ast.AST) -> int:
    """The last line that asks for gradients of gradients; 0 if there is none."""
    return max([one.value.lineno for one in ast.walk(tree) if isinstance(one, ast.keyword) and one.arg == TWICE] or [0])


def sees_frames(tree: ast.AST) -> bool:
    """Whether a function asks for all its variables at once."""
    calls = [one for one in ast.walk(tree) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)]
    return any([one.func.id in FRAMES or (one.func.id in ("vars", "dir") and not one.args) for one in calls])  # type: ignore[attr-defined]
