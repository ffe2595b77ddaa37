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
    if any([isinstance(node, (ast.Yield, ast.YieldFrom)) for node in ast.walk(tree)]):
        raise SourceError(f"{function.__qualname__}: generators are not cut")
    own = [node for node in ast.walk(tree) if isinstance(node, DEFINES) and node is not tree]
    if any([isinstance(node, ast.Nonlocal) for inner in own for node in ast.walk(inner)]):
        raise SourceError(f"{function.__qualname__}: a function inside it sets variables of it (nonlocal)")
    if sees_frames(tree):
        raise SourceError(f"{function.__qualname__}: it asks for all its variables (locals, eval)")
    _SelfContained(tree).visit(tree)
    cutter = _Splitter(function, tree, line, piece)
    head, body, tail, later = _open(tree)
    tree.body = [*cutter.declared, *head, *cutter.cut(body, later), *tail]
    if not cutter.values and not any([isinstance(node, ast.Name) and node.id == CAPTURED for node in ast.walk(tree)]):
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
    begin: list[ast.stmt] = [
        statement for statement in body if isinstance(statement, ast.If) and NONE in loaded([statement.test])
    ]
    names = [node.value for node in ast.walk(last) if isinstance(node, ast.Constant)]
    return begin, [statement for statement in body if statement not in begin], [last], frozenset(map(str, names))


VALUES = {TAKE: _taken, LOCALS: locals, NONE: Unset.UNSET, REACHED: _reached, ANY_ERROR: BaseException}


class _Splitter:
    """The splitter of one function; `values` are its pieces, by the names under which it calls them."""

    def __init__(self, function: FunctionType, tree: ast.FunctionDef, line: int | None, piece: Any):
        self.function, self.line, self.piece = function, line, piece
        self.values: dict[str, object] = {}
        self.head = ast.Pass(lineno=tree.lineno, col_offset=0, end_lineno=tree.lineno, end_col_offset=0)
        self.declared = [statement for statement in tree.body if isinstance(statement, (ast.Global, ast.Nonlocal))]
        tree.body = [statement for statement in tree.body if statement not in self.declared]
        outside = {name for statement in self.declared for name in statement.names}
        arguments = [node.arg for node in ast.walk(tree.args) if isinstance(node, ast.arg)]
        self.variables = (set(stored(tree.body)) | set(arguments)) - outside
        self.rebound_variables = rebound_variables(tree, function.__code__)
        self.second = line_of_second_order(tree)
        self.tried = 0  # nesting depth of statements that may catch errors

    def cut(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """Split a block at the line, or in its middle; `later` are the names that are read after it."""
        if self.line is None:
            return self._halved(block, later)
        for at, statement in enumerate(block):
            if is_at(statement, self.line):
                before, after = block[:at], block[at + 1 :]
                then = later | loaded(after)
                first = self.pieces(before, then | loaded([statement]))
                return [*first, *self._opened(statement, then), *self.pieces(after, later)]
        return self._halved(block, later)

    def _halved(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        started = [statement for statement in block if not is_plain(statement)]
        if len(started) < 2:
            return [
                new
                for at, statement in enumerate(block)
                for new in (
                    self._opened(statement, later | loaded(block[at + 1 :])) if statement in started else [statement]
                )
            ]
        at = block.index(started[len(started) // 2])
        return [*self.pieces(block[:at], later | loaded(block[at:])), *self.pieces(block[at:], later)]

    def _opened(self, statement: ast.stmt, later: frozenset[str]) -> list[ast.stmt]:
        """Return a statement that stays, with its blocks split and its callees captured."""
        blocks = [name for name in BLOCKS if isinstance(getattr(statement, name, None), list)]
        if isinstance(statement, DEFINES):
            return [statement]
        if not blocks and not isinstance(statement, ast.Match):
            return [self._calling(statement)]
        if isinstance(statement, LOOPS) or isinstance(statement, ast.Try):
            later |= loaded([statement])
        line = self.line
        inside = line is not None and any([is_at(part, line) for part in parts_of(statement, blocks)])
        if not inside and statement.lineno >= self.second:  # the line is in the head
            _CaptureCallees().visit_head(statement)
        self._in_blocks(statement, blocks, later, self.cut if inside or line is None else self.pieces)
        return [statement]

    def pieces(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """Return the block in the smallest possible number of pieces."""
        made: list[ast.stmt] = []
        run: list[ast.stmt] = []
        for at, statement in enumerate(block):
            then = later | loaded(block[at + 1 :])
            if isinstance(statement, ast.Return) and statement.value is not None and has_operations(statement.value):
                run.append(ast.copy_location(ast.Assign([ast.Name(RESULT, ast.Store())], statement.value), statement))
                made += self._piece(run, later | {RESULT})
                made.append(ast.copy_location(ast.Return(ast.Name(RESULT, ast.Load())), statement))
                return made
            if leaves_block(statement) or uses_shared(statement, self.rebound_variables):
                made += self._piece(run, then | loaded([statement]))
                run = []
                made += self._left(statement, then)
            else:
                run.append(statement)
        return [*made, *self._piece(run, later)]

    def _left(self, statement: ast.stmt, later: frozenset[str]) -> list[ast.stmt]:
        """Return a statement that leaves its block."""
        if isinstance(statement, DEFINES):
            return [statement]
        blocks = [name for name in BLOCKS if isinstance(getattr(statement, name, None), list)]
        if not blocks and not isinstance(statement, ast.Match):
            return [statement if leaves_block(statement) else self._calling(statement)]
        if isinstance(statement, LOOPS) or isinstance(statement, ast.Try):
            later |= loaded([statement])
        self._in_blocks(statement, blocks, later, self.pieces)
        return [statement]

    def _in_blocks(self, statement: ast.stmt, blocks: Sequence[str], later: frozenset[str], do: Any) -> None:
        """Replace each block of a statement by `do(block, later)`."""
        self.tried += isinstance(statement, CATCHES)
        for owner, name in [(statement, name) for name in blocks] + [(part, "body") for part in owners_in(statement)]:
            setattr(owner, name, do(getattr(owner, name), later))
        self.tried -= isinstance(statement, CATCHES)

    def _calling(self, statement: ast.stmt) -> ast.stmt:
        """Return the statement with its callees captured, unless their graph is differentiated twice."""
        return statement if statement.lineno < self.second else _CaptureCallees().visit(statement)  # type: ignore[no-any-return]

    def _piece(self, run: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """Return a sequence of statements as a call of a piece; unchanged if it contains no tensor operations."""
        if not any([has_operations(statement) for statement in run]) or run[-1].lineno < self.second:
            return run
        for at, statement in enumerate(run):
            if isinstance(statement, DEFINES) and statement.name in later:  # other pieces use it, too
                before, after = run[:at], run[at + 1 :]
                return [
                    *self._piece(before, later | loaded([statement, *after])),
                    statement,
                    *self._piece(after, later),
                ]
        read: set[str] = set()
        certain: set[str] = set()
        for statement in run:
            read |= loaded([statement]) - certain
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
                certain |= stored([statement])
        results = sorted(stored(run) & (self.variables | {RESULT}) & later)
        inputs = sorted((read | (set(results) - certain)) & self.variables)
        where, first, last = run[0], run[0].lineno, run[-1].end_lineno
        names = {node.id for part in run for node in ast.walk(part) if isinstance(node, ast.Name)}
        used = [(type(statement), [name for name in statement.names if name in names]) for statement in self.declared]
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
        return [_placed(statement, where) for statement in (done, *unset)]


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
    for node in ast.walk(tree):
        if isinstance(node, (ast.stmt, ast.expr, ast.arg)) and not hasattr(node, "lineno"):
            ast.copy_location(node, where)
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset
    return tree


class _CaptureCallees(ast.NodeTransformer):
    """A transformer from `f(x)` to `captured(f)(x)`, except for built-in functions."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)):
            node.func = _placed(_call(CAPTURED, node.func), node)  # type: ignore[arg-type]
        return node

    def visit_head(self, statement: ast.stmt) -> None:
        """Transform the head of a statement, before its blocks."""
        for name in ("test", "iter", "items", "subject"):
            part: Any = getattr(statement, name, None)
            if part is not None:
                setattr(statement, name, list(map(self.visit, part)) if isinstance(part, list) else self.visit(part))


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
