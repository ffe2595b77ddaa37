"""Analysis of statements: the names that they set and read, and their effects, as far as the tree shows them."""

from __future__ import annotations

import ast
from types import CodeType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

LEAVES = (ast.Return, ast.Yield, ast.YieldFrom, ast.Await, ast.Import, ast.ImportFrom)
OPERATIONS = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.Subscript, ast.AugAssign)  # possible tensor operations
DEFINES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
CATCHES = (ast.Try, ast.With, ast.AsyncWith, getattr(ast, "TryStar", ast.Try))
LOOPS = (ast.For, ast.While, ast.AsyncFor)
BLOCKS = ("body", "orelse", "finalbody")
FRAMES = ("locals", "exec", "eval")
TWICE = "create_graph"
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def is_at(statement: ast.stmt, line: int) -> bool:
    """Return True if a statement contains this line."""
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)


def parts_of(statement: ast.stmt, blocks: Sequence[str]) -> list[ast.stmt]:
    """Return the statements in the blocks of a statement."""
    parts = [part for name in blocks for part in getattr(statement, name)]
    return parts + [part for owner in owners_in(statement) for part in owner.body]


def owners_in(statement: ast.stmt) -> list[Any]:
    """Return exception handlers and cases, which have blocks of their own."""
    return [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]


def loaded(block: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names that are read or deleted, including nested functions and comprehensions."""
    nodes = [node for part in block for node in ast.walk(part)]
    names = [node for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store)]
    names += [node.target for node in nodes if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)]
    return frozenset([name.id for name in names])


def stored(block: Sequence[ast.AST]) -> frozenset[str]:
    """Return the names that are set, without those in nested functions and comprehensions."""
    return frozenset([name for part in block for name, _, _ in _settings(part)])


def rebound_variables(tree: ast.FunctionDef, code: CodeType) -> frozenset[str]:
    """Return the variables that nested functions read and that may be set again after the functions were created."""
    inner = _deferred_nodes(tree.body)
    lazy = loaded([node for node in inner if isinstance(node, ast.GeneratorExp)])
    found = {node.arg: [0] for node in ast.walk(tree.args) if isinstance(node, ast.arg)}
    for name, line, is_looped in [setting for part in tree.body for setting in _settings(part)]:
        found.setdefault(name, []).extend([line] * (1 + is_looped))
    return frozenset(
        [
            name
            for name in (_shared(code) | lazy) & found.keys()
            if len(found[name]) > 1 or any([node.lineno < found[name][0] and name in loaded([node]) for node in inner])
        ]
    )


def _deferred_nodes(block: Sequence[ast.AST]) -> list[Any]:
    """Return nodes that may run later than their position: functions, and generators that are not consumed at once by a
    call.
    """
    nodes = [node for part in block for node in ast.walk(part)]
    used = {id(arg) for call in nodes if isinstance(call, ast.Call) for arg in call.args}
    return [
        node
        for node in nodes
        if isinstance(node, (*DEFINES, ast.Lambda)) or (isinstance(node, ast.GeneratorExp) and id(node) not in used)
    ]


def _shared(code: CodeType) -> frozenset[str]:
    """Return the variables that functions inside a code object read, except comprehensions, which run at once."""
    parts = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    shared = [_shared(part) if part.co_name in COMPREHENSIONS else part.co_freevars for part in parts]
    return frozenset([name for names in shared for name in names])


def _settings(tree: ast.AST, is_looped: bool = False) -> Iterator[tuple[str, int, bool]]:
    """Generate the names that a statement sets, with the line and whether it is in a loop."""
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


def has_operations(tree: ast.AST) -> bool:
    """Return True if tensor operations are possible in a tree."""
    return any([isinstance(node, OPERATIONS) for node in ast.walk(tree)])


def is_plain(statement: ast.stmt) -> bool:
    return not has_operations(statement) or isinstance(statement, DEFINES)


def leaves_block(tree: ast.AST, in_loop: bool = False) -> bool:
    """Return True if a statement leaves its block, deletes names, or binds modules."""
    if isinstance(tree, LEAVES) or (isinstance(tree, (ast.Break, ast.Continue)) and not in_loop):
        return True
    if isinstance(tree, ast.Delete):
        return any([isinstance(target, ast.Name) for target in tree.targets])
    if isinstance(tree, (*DEFINES, ast.Lambda)):
        return False
    inside = tree.body if isinstance(tree, LOOPS) else ()  # the `else` block is not part of the loop
    return any([leaves_block(node, in_loop or node in inside) for node in ast.iter_child_nodes(tree)])


def uses_shared(tree: ast.AST, names: frozenset[str]) -> bool:
    """Return True if a statement sets one of these variables, or creates a function that reads one."""
    return bool(names) and not names.isdisjoint(stored([tree]) | loaded(_deferred_nodes([tree])))


def line_of_second_order(tree: ast.AST) -> int:
    """Return the last line that requests second-order gradients; 0 if there is none."""
    return max(
        [node.value.lineno for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg == TWICE] or [0]
    )


def sees_frames(tree: ast.AST) -> bool:
    """Return True if a function reads all its variables at once."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    return any([call.func.id in FRAMES or (call.func.id in ("vars", "dir") and not call.args) for call in calls])  # type: ignore[attr-defined]
