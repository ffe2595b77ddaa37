"""Which names a piece of Python binds, reads, and may still read afterwards."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def inside(nodes: Iterable[ast.AST], scopes: tuple[type[ast.AST], ...] = SCOPES) -> Iterator[ast.AST]:
    """These nodes and all below them, but for what stands in functions, which have names of their own."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, scopes):
            stack += ast.iter_child_nodes(node)


def bound_by(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that a piece of a function binds in it."""
    found: set[str] = set()
    hidden: set[str] = set()
    for node in inside(nodes):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, FUNCTIONS):
            found.add(node.name)
        elif isinstance(node, ast.alias):
            found.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name is not None:
            found.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest is not None:
            found.add(node.rest)
        elif isinstance(node, ast.comprehension):
            hidden |= {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
    if hidden:  # by a comprehension alone, perhaps: what is bound elsewhere as well is told by a second look
        found -= hidden - _bound_outside_comprehensions(nodes)
    return found


def _bound_outside_comprehensions(nodes: Iterable[ast.AST]) -> set[str]:
    loops = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    return {
        node.id
        for node in inside(nodes, (*SCOPES, *loops))
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
    }


def read_by(nodes: Iterable[ast.AST | None]) -> set[str]:
    """The names that a piece of Python reads, in functions as well."""
    found: set[str] = set()
    for top in nodes:
        for node in ast.walk(top) if top is not None else ():
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Store):
                found.add(node.id)
            elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
                found.add(node.target.id)
    return found


def live_before(block: Sequence[ast.stmt], after: set[str], loop: set[str] | None = None) -> set[str]:
    """The names that may be read from the beginning of a block on, before they are bound.

    Arguments:
        block: its statements.
        after: the names that may be read behind it.
        loop: those that may be read where `break` and `continue` lead.
    """
    live = set(after)
    for one in reversed(block):
        live = _live_before_one(one, live, loop or set())
    return live


def _live_before_one(one: ast.stmt, live: set[str], loop: set[str]) -> set[str]:
    if isinstance(one, (ast.Return, ast.Raise)):
        return read_by([one])
    if isinstance(one, (ast.Break, ast.Continue)):
        return set(loop)
    if isinstance(one, ast.If):
        return read_by([one.test]) | live_before(one.body, live, loop) | live_before(one.orelse, live, loop)
    if isinstance(one, (ast.While, ast.For)):
        target = set() if isinstance(one, ast.While) else bound_by([one.target])
        head = read_by([one.test]) if isinstance(one, ast.While) else set()
        behind = live_before(one.orelse, live, loop)
        for _ in range(2):  # what one turn leaves the next one may read
            head |= behind | (live_before(one.body, head | behind, head | behind | live) - target)
        return head if isinstance(one, ast.While) else head | read_by([one.iter])
    if isinstance(one, ast.With):
        bound = bound_by([item.optional_vars for item in one.items if item.optional_vars is not None])
        return read_by(one.items) | (live_before(one.body, live, loop) - bound)
    if isinstance(one, (*FUNCTIONS, ast.Try, ast.Match)):
        return live | read_by([one]) | loop
    return (live - bound_by([one])) | read_by([one])
