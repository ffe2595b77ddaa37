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
    deleted = {one.id for one in inside(nodes) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Del)}
    return stored(nodes) | deleted


def live_before(block: Sequence[ast.stmt], after: Set[str], loop: Set[str] | None = None) -> Set[str]:
    """Return the names that may be read from the start of a block on, before they are bound.

    Arguments:
        block: its statements.
        after: the names that may be read after it.
        loop: the names that may be read after a `break` or `continue`.
    """
    live = after
    for one in reversed(block):
        live = _live_before_one(one, live, loop or frozenset())
    return live


def _live_before_one(one: ast.stmt, live: Set[str], loop: Set[str]) -> Set[str]:
    if isinstance(one, (ast.Return, ast.Raise)):
        return loaded([one])
    if isinstance(one, (ast.Break, ast.Continue)):
        return loop
    if isinstance(one, ast.If):
        return loaded([one.test]) | live_before(one.body, live, loop) | live_before(one.orelse, live, loop)
    if isinstance(one, (ast.While, ast.For)):
        target = frozenset() if isinstance(one, ast.While) else bound_by([one.target])
        head: Set[str] = loaded([one.test]) if isinstance(one, ast.While) else frozenset()
        behind = live_before(one.orelse, live, loop)
        for _ in range(2):  # one iteration may read the names that another one binds
            head = head | behind | (live_before(one.body, head | behind, head | behind | live) - target)
        return head if isinstance(one, ast.While) else head | loaded([one.iter])
    if isinstance(one, ast.With):
        bound = bound_by([item.optional_vars for item in one.items if item.optional_vars is not None])
        return loaded(one.items) | (live_before(one.body, live, loop) - bound)
    if isinstance(one, (*DEFINES, ast.Try, ast.Match)):
        return live | loaded([one]) | loop
    return (live - bound_by([one])) | loaded([one])
