"""Splitting of functions at a line that cannot be captured: the statements before and after become separate functions.

Note [Split functions]
~~~~~~~~~~~~~~~~~~~~~~
A piece is a sequence of statements of one block, as a function of the variables that it reads. It returns the variables
that it sets and that are read later; a variable that is not set on this path is represented by UNSET. Statements that
leave the block (return, break, continue), delete names or bind modules stay in place. If the line is inside `if`,
`for`, `with` or similar statements, their heads stay, and their blocks are split recursively. Functions of the program
that are called in the line itself are captured separately.
"""

from __future__ import annotations

import ast
import builtins
from enum import Enum
from typing import TYPE_CHECKING, Any

from .function_ast import SourceError, function_of, tree_of
from .statements import (
    BLOCKS,
    CATCHES,
    DEFINES,
    LOOPS,
    has_operations,
    is_at,
    is_plain,
    leaves_block,
    line_of_second_order,
    loaded,
    owners_in,
    parts_of,
    rebound_variables,
    sees_frames,
    stored,
    uses_shared,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FunctionType

# Names of closure variables and local variables in the split function, which programs cannot use.
TAKE, LOCALS, RESULT, CAPTURED, NONE = "take:", "locals:", "result:", "captured:", "unset:"
REACHED, RAISED, ANY_ERROR = "reached:", "raised:", "any error:"


def split(
    function: FunctionType,
    line: int | None,
    piece: Callable[[FunctionType], object],
    callee: Callable[[object], object],
) -> FunctionType | None:
    """Return the split function; None if no statements remain around its line.

    Arguments:
        function: a function with source.
        line: the line of the statement that cannot be captured; None to split the function in the middle.
        piece: returns the callable for each piece.
        callee: returns the callable for each function that is called in the line.

    Raises:
        SourceError: the source is not available, or the function cannot be split.
    """
    tree = tree_of(function)
    if any([isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(tree)]):
        raise SourceError(f"{function.__qualname__}: generators are not cut")
    own = [one for one in ast.walk(tree) if isinstance(one, DEFINES) and one is not tree]
    if any([isinstance(one, ast.Nonlocal) for inner in own for one in ast.walk(inner)]):
        raise SourceError(f"{function.__qualname__}: a function inside it sets variables of it (nonlocal)")
    if sees_frames(tree):
        raise SourceError(f"{function.__qualname__}: it asks for all its variables (locals, eval)")
    _SelfContained(tree).visit(tree)
    cutter = _Splitter(function, tree, line, piece)
    head, body, tail, later = _open(tree)
    tree.body = [*cutter.declared, *head, *cutter.cut(body, later), *tail]
    if not cutter.values and not any([isinstance(one, ast.Name) and one.id == CAPTURED for one in ast.walk(tree)]):
        return None
    return function_of(tree, function, {**cutter.values, **VALUES, CAPTURED: callee})


class Unset(Enum):
    """The type with a single value for unset variables."""

    UNSET = 0


def _taken(variables: dict[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of variables, UNSET for unset ones."""
    return tuple([variables.get(name, Unset.UNSET) for name in names])


def _reached(error: BaseException, known: tuple[Any, ...], names: Sequence[str]) -> tuple[Any, ...]:
    """Return the values of variables at an error in a piece: those of its frame, or else the known ones."""
    trace = error.__traceback__
    assert trace is not None
    code, within = trace.tb_frame.f_code, trace.tb_next
    while within is not None:
        inner = within.tb_frame.f_code
        if inner.co_name == code.co_name and inner.co_filename == code.co_filename:
            own = within.tb_frame.f_locals
            return tuple([own.get(name, before) for name, before in zip(names, known, strict=True)])
        within = within.tb_next
    return known


def _open(tree: ast.FunctionDef) -> tuple[list[ast.stmt], list[ast.stmt], list[ast.stmt], frozenset[str]]:
    """Return the first statements of a piece, its other statements, its last ones, and the names that it returns. For
    other functions, all statements are in the second list.
    """
    *body, last = tree.body
    if not isinstance(last, ast.Return) or TAKE not in loaded([last]):
        return [], tree.body, [], frozenset()
    begin: list[ast.stmt] = [one for one in body if isinstance(one, ast.If) and NONE in loaded([one.test])]
    names = [one.value for one in ast.walk(last) if isinstance(one, ast.Constant)]
    return begin, [one for one in body if one not in begin], [last], frozenset(map(str, names))


VALUES = {TAKE: _taken, LOCALS: locals, NONE: Unset.UNSET, REACHED: _reached, ANY_ERROR: BaseException}


class _Splitter:
    """The splitter of one function; `values` are its pieces, by the names under which it calls them."""

    def __init__(self, function: FunctionType, tree: ast.FunctionDef, line: int | None, piece: Any):
        self.function, self.line, self.piece = function, line, piece
        self.values: dict[str, object] = {}
        self.head = ast.Pass(lineno=tree.lineno, col_offset=0, end_lineno=tree.lineno, end_col_offset=0)
        self.declared = [one for one in tree.body if isinstance(one, (ast.Global, ast.Nonlocal))]
        tree.body = [one for one in tree.body if one not in self.declared]
        outside = {name for one in self.declared for name in one.names}
        arguments = [one.arg for one in ast.walk(tree.args) if isinstance(one, ast.arg)]
        self.variables = (set(stored(tree.body)) | set(arguments)) - outside
        self.rebound_variables = rebound_variables(tree, function.__code__)
        self.second = line_of_second_order(tree)
        self.tried = 0  # nesting depth of statements that may catch errors

    def cut(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """Split a block at the line, or in its middle; `later` are the names that are read after it."""
        if self.line is None:
            return self._halved(block, later)
        for at, one in enumerate(block):
            if is_at(one, self.line):
                before, after = block[:at], block[at + 1 :]
                then = later | loaded(after)
                first = self.pieces(before, then | loaded([one]))
                return [*first, *self._opened(one, then), *self.pieces(after, later)]
        return self._halved(block, later)

    def _halved(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        started = [one for one in block if not is_plain(one)]
        if len(started) < 2:
            return [
                new
                for at, one in enumerate(block)
                for new in (self._opened(one, later | loaded(block[at + 1 :])) if one in started else [one])
            ]
        at = block.index(started[len(started) // 2])
        return [*self.pieces(block[:at], later | loaded(block[at:])), *self.pieces(block[at:], later)]

    def _opened(self, one: ast.stmt, later: frozenset[str]) -> list[ast.stmt]:
        """Return a statement that stays, with its blocks split and its callees captured."""
        blocks = [name for name in BLOCKS if isinstance(getattr(one, name, None), list)]
        if isinstance(one, DEFINES):
            return [one]
        if not blocks and not isinstance(one, ast.Match):
            return [self._calling(one)]
        if isinstance(one, LOOPS) or isinstance(one, ast.Try):
            later |= loaded([one])
        line = self.line
        inside = line is not None and any([is_at(part, line) for part in parts_of(one, blocks)])
        if not inside and one.lineno >= self.second:  # the line is in the head
            _CaptureCallees().visit_head(one)
        self._in_blocks(one, blocks, later, self.cut if inside or line is None else self.pieces)
        return [one]

    def pieces(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """Return the block in the smallest possible number of pieces."""
        made: list[ast.stmt] = []
        run: list[ast.stmt] = []
        for at, one in enumerate(block):
            then = later | loaded(block[at + 1 :])
            if isinstance(one, ast.Return) and one.value is not None and has_operations(one.value):
                run.append(ast.copy_location(ast.Assign([ast.Name(RESULT, ast.Store())], one.value), one))
                made += self._piece(run, later | {RESULT})
                made.append(ast.copy_location(ast.Return(ast.Name(RESULT, ast.Load())), one))
                return made
            if leaves_block(one) or uses_shared(one, self.rebound_variables):
                made += self._piece(run, then | loaded([one]))
                run = []
                made += self._left(one, then)
            else:
                run.append(one)
        return [*made, *self._piece(run, later)]

    def _left(self, one: ast.stmt, later: frozenset[str]) -> list[ast.stmt]:
        """Return a statement that leaves its block."""
        if isinstance(one, DEFINES):
            return [one]
        blocks = [name for name in BLOCKS if isinstance(getattr(one, name, None), list)]
        if not blocks and not isinstance(one, ast.Match):
            return [one if leaves_block(one) else self._calling(one)]
        if isinstance(one, LOOPS) or isinstance(one, ast.Try):
            later |= loaded([one])
        self._in_blocks(one, blocks, later, self.pieces)
        return [one]

    def _in_blocks(self, one: ast.stmt, blocks: Sequence[str], later: frozenset[str], do: Any) -> None:
        """Replace each block of a statement by `do(block, later)`."""
        self.tried += isinstance(one, CATCHES)
        for owner, name in [(one, name) for name in blocks] + [(part, "body") for part in owners_in(one)]:
            setattr(owner, name, do(getattr(owner, name), later))
        self.tried -= isinstance(one, CATCHES)

    def _calling(self, one: ast.stmt) -> ast.stmt:
        """Return the statement with its callees captured, unless their graph is differentiated twice."""
        return one if one.lineno < self.second else _CaptureCallees().visit(one)  # type: ignore[no-any-return]

    def _piece(self, run: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """Return a sequence of statements as a call of a piece; unchanged if it contains no tensor operations."""
        if not any([has_operations(one) for one in run]) or run[-1].lineno < self.second:
            return run
        for at, one in enumerate(run):
            if isinstance(one, DEFINES) and one.name in later:  # other pieces use it, too
                before, after = run[:at], run[at + 1 :]
                return [*self._piece(before, later | loaded([one, *after])), one, *self._piece(after, later)]
        read: set[str] = set()
        certain: set[str] = set()
        for one in run:
            read |= loaded([one]) - certain
            if isinstance(one, (ast.Assign, ast.AnnAssign)) and one.value is not None:
                certain |= stored([one])
        results = sorted(stored(run) & (self.variables | {RESULT}) & later)
        inputs = sorted((read | (set(results) - certain)) & self.variables)
        where, first, last = run[0], run[0].lineno, run[-1].end_lineno
        names = {one.id for part in run for one in ast.walk(part) if isinstance(one, ast.Name)}
        used = [(type(one), [name for name in one.names if name in names]) for one in self.declared]
        declared = [kind(own) for kind, own in used if own]
        body = [*declared, *map(_unset, inputs), *run, ast.Return(_take(results))]
        arguments = ast.arguments([], [ast.arg(name) for name in inputs], None, [], [], None, [])
        tree = ast.FunctionDef(self.function.__name__, arguments, body, [])
        if "type_params" in tree._fields:  # since Python 3.12
            tree.type_params = []  # type: ignore[attr-defined]
        made = function_of(_placed(tree, self.head), self.function, VALUES)
        whole = self.function.__qualname__.partition(",")[0]
        made.__qualname__ = f"{whole}, line {first}" if first == last else f"{whole}, lines {first}-{last}"
        made.__defaults__ = made.__kwdefaults__ = None
        name = f"piece {len(self.values)}"
        self.values[name] = self.piece(made)
        call = _call(name, ast.Starred(_take(inputs), ast.Load()))
        targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in results]
        done: ast.stmt = ast.Assign([ast.Tuple(targets, ast.Store())], call) if results else ast.Expr(call)
        unset = [_unset(name) for name in results if name not in certain]
        if results and self.tried:
            done = _caught(done, results)
        return [_placed(one, where) for one in (done, *unset)]


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


def _take(names: Sequence[str]) -> ast.Call:
    """Return `take(locals(), names)`."""
    return _call(TAKE, _call(LOCALS), ast.Tuple([ast.Constant(name) for name in names], ast.Load()))


def _unset(name: str) -> ast.stmt:
    """Return `if name is UNSET: del name`."""
    test = ast.Compare(ast.Name(name, ast.Load()), [ast.Is()], [ast.Name(NONE, ast.Load())])
    return ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], [])


def _caught(done: ast.stmt, names: Sequence[str]) -> ast.stmt:
    """Return `try: done` that gives variables their values in the piece if it raises an error."""
    constants = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
    reached = _call(REACHED, ast.Name(RAISED, ast.Load()), _take(names), constants)
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    body: list[ast.stmt] = [ast.Assign([ast.Tuple(targets, ast.Store())], reached), *map(_unset, names), ast.Raise()]
    return ast.Try([done], [ast.ExceptHandler(ast.Name(ANY_ERROR, ast.Load()), RAISED, body)], [], [])


def _placed(tree: Any, where: ast.stmt) -> Any:
    """Set the position of new nodes in a tree to that of a statement."""
    for one in ast.walk(tree):
        if isinstance(one, (ast.stmt, ast.expr, ast.arg)) and not hasattr(one, "lineno"):
            ast.copy_location(one, where)
            one.end_lineno, one.end_col_offset = one.lineno, one.col_offset
    return tree


class _CaptureCallees(ast.NodeTransformer):
    """A transformer from `f(x)` to `captured(f)(x)`, except for built-in functions."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)):
            node.func = _placed(_call(CAPTURED, node.func), node)  # type: ignore[arg-type]
        return node

    def visit_head(self, one: ast.stmt) -> None:
        """Transform the head of a statement, before its blocks."""
        for name in ("test", "iter", "items", "subject"):
            part: Any = getattr(one, name, None)
            if part is not None:
                setattr(one, name, list(map(self.visit, part)) if isinstance(part, list) else self.visit(part))


class _SelfContained(ast.NodeTransformer):
    """A transformer that makes statements independent of their function: it moves declarations to the front, and adds
    the arguments of `super()`.
    """

    def __init__(self, tree: ast.FunctionDef):
        self.tree = tree
        arguments = [*tree.args.posonlyargs, *tree.args.args]
        self.first = arguments[0].arg if arguments else ""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.generic_visit(node) if node is self.tree else node

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> ast.Pass | ast.Global | ast.Nonlocal:
        if node in self.tree.body:
            return node
        self.tree.body.insert(0, node)
        return ast.copy_location(ast.Pass(), node)

    visit_Nonlocal = visit_Global

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args and self.first:
            node.args = [ast.Name("__class__", ast.Load()), ast.Name(self.first, ast.Load())]
            _placed(node, node)  # type: ignore[arg-type]
        return node
