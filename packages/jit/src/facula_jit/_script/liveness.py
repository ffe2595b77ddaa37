"""Liveness analysis: the names that a piece of Python code binds, reads, and may read later."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from .._source.statements import DEFINES, loaded, stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Set

SCOPES = (*DEFINES, ast.Lambda)


def inside(nodes: Iterable[ast.AST], scopes: tuple[type[ast.AST], ...] = SCOPES) -> Iterator[ast.AST]:
    """Generate these nodes and all nodes below them, except those inside functions, which have scopes of their own."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, scopes):
            stack += ast.iter_child_nodes(node)


def bound_by(nodes: Iterable[ast.AST]) -> frozenset[str]:
    """Return the names that a piece of a function binds or deletes."""
    nodes = list(nodes)
    deleted = {node.id for node in inside(nodes) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Del)}
    return stored(nodes) | deleted


def live_before(block: Sequence[ast.stmt], after: Set[str], loop: Set[str] | None = None) -> Set[str]:
    """Return the names that may be read from the start of a block on, before they are bound.

    Arguments:
        block: its statements.
        after: the names that may be read after it.
        loop: the names that may be read after a `break` or `continue`.
    """
    live = after
    for statement in reversed(block):
        live = _live_before_one(statement, live, loop or frozenset())
    return live


def _live_before_one(statement: ast.stmt, live: Set[str], loop: Set[str]) -> Set[str]:
    if isinstance(statement, (ast.Return, ast.Raise)):
        return loaded([statement])
    if isinstance(statement, (ast.Break, ast.Continue)):
        return loop
    if isinstance(statement, ast.If):
        return (
            loaded([statement.test])
            | live_before(statement.body, live, loop)
            | live_before(statement.orelse, live, loop)
        )
    if isinstance(statement, (ast.While, ast.For)):
        target = frozenset() if isinstance(statement, ast.While) else bound_by([statement.target])
        head: Set[str] = loaded([statement.test]) if isinstance(statement, ast.While) else frozenset()
        behind = live_before(statement.orelse, live, loop)
        for _ in range(2):  # one iteration may read the names that another one binds
            head = head | behind | (live_before(statement.body, head | behind, head | behind | live) - target)
        return head if isinstance(statement, ast.While) else head | loaded([statement.iter])
    if isinstance(statement, ast.With):
        bound = bound_by([item.optional_vars for item in statement.items if item.optional_vars is not None])
        return loaded(statement.items) | (live_before(statement.body, live, loop) - bound)
    if isinstance(statement, (*DEFINES, ast.Try, ast.Match)):
        return live | loaded([statement]) | loop
    return (live - bound_by([statement])) | loaded([statement])
