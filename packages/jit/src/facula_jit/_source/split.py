"""Functions cut at a line that cannot be captured: the statements around it become functions of their own.

Note [Split functions]
~~~~~~~~~~~~~~~~~~~~~~
A piece is a run of statements of one block, as a function of the variables that it reads. It returns those that it
sets and something later reads; one that is not set on this way is UNSET meanwhile. What leaves the block (return,
break, continue), deletes names or binds modules stays where it is; of `if`, `for`, `with` and the like around the line
the heads stay, and their blocks are cut in turn. In the line itself every function that is called is captured by
itself, if it is the program's own.
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
    is_at,
    is_plain,
    leaves,
    line_of_second,
    loaded,
    owners_in,
    parts_of,
    restless,
    sees_frames,
    shares,
    stored,
    works,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FunctionType

# Names of what the cut function closes over, and of its own variables: no program can have them.
TAKE, LOCALS, RESULT, CAPTURED, NONE = "take:", "locals:", "result:", "captured:", "unset:"
REACHED, RAISED, ANY_ERROR = "reached:", "raised:", "any error:"


def cut(
    function: FunctionType,
    line: int | None,
    piece: Callable[[FunctionType], object],
    callee: Callable[[object], object],
) -> FunctionType | None:
    """The function, split; None where there is nothing around its line.

    Arguments:
        function: a function with source.
        line: that of the statement that cannot be captured; None if it is not known: the function is cut in the middle.
        piece: what is called in the place of each piece.
        callee: what is called in the place of each function that is called in the line.

    Raises:
        SourceError: the source cannot be had, or the function is one that is not cut.
    """
    tree = tree_of(function)
    if any([isinstance(one, (ast.Yield, ast.YieldFrom)) for one in ast.walk(tree)]):
        raise SourceError(f"{function.__qualname__}: generators are not cut")
    own = [one for one in ast.walk(tree) if isinstance(one, DEFINES) and one is not tree]
    if any([isinstance(one, ast.Nonlocal) for inner in own for one in ast.walk(inner)]):
        raise SourceError(f"{function.__qualname__}: a function inside it sets variables of it (nonlocal)")
    if sees_frames(tree):
        raise SourceError(f"{function.__qualname__}: it asks for all its variables (locals, eval)")
    _Whole(tree).visit(tree)
    cutter = _Cutter(function, tree, line, piece)
    head, body, tail, later = _open(tree)
    tree.body = [*cutter.declared, *head, *cutter.cut(body, later), *tail]
    if not cutter.values and not any([isinstance(one, ast.Name) and one.id == CAPTURED for one in ast.walk(tree)]):
        return None
    return function_of(tree, function, {**cutter.values, **VALUES, CAPTURED: callee})


class Unset(Enum):
    """The one value of a variable that is not set."""

    UNSET = 0


def _taken(variables: dict[str, Any], names: Sequence[str]) -> tuple[Any, ...]:
    """The values of variables, UNSET where there is none."""
    return tuple([variables.get(name, Unset.UNSET) for name in names])


def _reached(error: BaseException, known: tuple[Any, ...], names: Sequence[str]) -> tuple[Any, ...]:
    """The values of variables where a piece raised an error: what its own frame has of them; else what is known."""
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
    """What a piece begins with, its statements, what it ends with, and the names that it returns; of other functions
    all is statements."""
    *body, last = tree.body
    if not isinstance(last, ast.Return) or TAKE not in loaded([last]):
        return [], tree.body, [], frozenset()
    begin: list[ast.stmt] = [one for one in body if isinstance(one, ast.If) and NONE in loaded([one.test])]
    names = [one.value for one in ast.walk(last) if isinstance(one, ast.Constant)]
    return begin, [one for one in body if one not in begin], [last], frozenset(map(str, names))


VALUES = {TAKE: _taken, LOCALS: locals, NONE: Unset.UNSET, REACHED: _reached, ANY_ERROR: BaseException}


class _Cutter:
    """Cuts one function; `values` are its pieces, by the names that it calls them by."""

    def __init__(self, function: FunctionType, tree: ast.FunctionDef, line: int | None, piece: Any):
        self.function, self.line, self.piece = function, line, piece
        self.values: dict[str, object] = {}
        self.head = ast.Pass(lineno=tree.lineno, col_offset=0, end_lineno=tree.lineno, end_col_offset=0)
        self.declared = [one for one in tree.body if isinstance(one, (ast.Global, ast.Nonlocal))]
        tree.body = [one for one in tree.body if one not in self.declared]
        outside = {name for one in self.declared for name in one.names}
        arguments = [one.arg for one in ast.walk(tree.args) if isinstance(one, ast.arg)]
        self.variables = (set(stored(tree.body)) | set(arguments)) - outside
        self.restless = restless(tree, function.__code__)
        self.second = line_of_second(tree)
        self.tried = 0  # in how many statements that may catch errors

    def cut(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """The block around the line, or around its middle; `later` are the names that are read after it."""
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
        """A statement that stays: its blocks are cut, if it has any, and what it calls is captured."""
        blocks = [name for name in BLOCKS if isinstance(getattr(one, name, None), list)]
        if isinstance(one, DEFINES):
            return [one]
        if not blocks and not isinstance(one, ast.Match):
            return [self._calling(one)]
        if isinstance(one, LOOPS) or isinstance(one, ast.Try):
            later |= loaded([one])
        line = self.line
        inside = line is not None and any([is_at(part, line) for part in parts_of(one, blocks)])
        if not inside and one.lineno >= self.second:  # it is in the head
            _Calls().visit_head(one)
        self._in_blocks(one, blocks, later, self.cut if inside or line is None else self.pieces)
        return [one]

    def pieces(self, block: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """The block, in as few pieces as there can be."""
        made: list[ast.stmt] = []
        run: list[ast.stmt] = []
        for at, one in enumerate(block):
            then = later | loaded(block[at + 1 :])
            if isinstance(one, ast.Return) and one.value is not None and works(one.value):
                run.append(ast.copy_location(ast.Assign([ast.Name(RESULT, ast.Store())], one.value), one))
                made += self._piece(run, later | {RESULT})
                made.append(ast.copy_location(ast.Return(ast.Name(RESULT, ast.Load())), one))
                return made
            if leaves(one) or shares(one, self.restless):
                made += self._piece(run, then | loaded([one]))
                run = []
                made += self._left(one, then)
            else:
                run.append(one)
        return [*made, *self._piece(run, later)]

    def _left(self, one: ast.stmt, later: frozenset[str]) -> list[ast.stmt]:
        """A statement that leaves its block, at some place in it."""
        if isinstance(one, DEFINES):
            return [one]
        blocks = [name for name in BLOCKS if isinstance(getattr(one, name, None), list)]
        if not blocks and not isinstance(one, ast.Match):
            return [one if leaves(one) else self._calling(one)]
        if isinstance(one, LOOPS) or isinstance(one, ast.Try):
            later |= loaded([one])
        self._in_blocks(one, blocks, later, self.pieces)
        return [one]

    def _in_blocks(self, one: ast.stmt, blocks: Sequence[str], later: frozenset[str], do: Any) -> None:
        """Let `do(block, later)` be in the place of each block of a statement."""
        self.tried += isinstance(one, CATCHES)
        for owner, name in [(one, name) for name in blocks] + [(part, "body") for part in owners_in(one)]:
            setattr(owner, name, do(getattr(owner, name), later))
        self.tried -= isinstance(one, CATCHES)

    def _calling(self, one: ast.stmt) -> ast.stmt:
        """The statement; what it calls is captured, unless the graph of that is differentiated twice."""
        return one if one.lineno < self.second else _Calls().visit(one)  # type: ignore[no-any-return]

    def _piece(self, run: list[ast.stmt], later: frozenset[str]) -> list[ast.stmt]:
        """A run of statements as a call of a piece, or as it is where tensors have nothing to do in it."""
        if not any([works(one) for one in run]) or run[-1].lineno < self.second:
            return run
        for at, one in enumerate(run):
            if isinstance(one, DEFINES) and one.name in later:  # more than this piece uses it
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
    """`take(locals(), names)`."""
    return _call(TAKE, _call(LOCALS), ast.Tuple([ast.Constant(name) for name in names], ast.Load()))


def _unset(name: str) -> ast.stmt:
    """`if name is UNSET: del name`."""
    test = ast.Compare(ast.Name(name, ast.Load()), [ast.Is()], [ast.Name(NONE, ast.Load())])
    return ast.If(test, [ast.Delete([ast.Name(name, ast.Del())])], [])


def _caught(done: ast.stmt, names: Sequence[str]) -> ast.stmt:
    """`try: done` whose errors leave the variables as they are in the piece."""
    constants = ast.Tuple([ast.Constant(name) for name in names], ast.Load())
    reached = _call(REACHED, ast.Name(RAISED, ast.Load()), _take(names), constants)
    targets: list[ast.expr] = [ast.Name(name, ast.Store()) for name in names]
    body: list[ast.stmt] = [ast.Assign([ast.Tuple(targets, ast.Store())], reached), *map(_unset, names), ast.Raise()]
    return ast.Try([done], [ast.ExceptHandler(ast.Name(ANY_ERROR, ast.Load()), RAISED, body)], [], [])


def _placed(tree: Any, where: ast.stmt) -> Any:
    """A tree whose new parts stand at the line of a statement."""
    for one in ast.walk(tree):
        if isinstance(one, (ast.stmt, ast.expr, ast.arg)) and not hasattr(one, "lineno"):
            ast.copy_location(one, where)
            one.end_lineno, one.end_col_offset = one.lineno, one.col_offset
    return tree


class _Calls(ast.NodeTransformer):
    """Lets `captured` choose what is called: `f(x)` becomes `captured(f)(x)`. Built-in functions stay."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)):
            node.func = _placed(_call(CAPTURED, node.func), node)  # type: ignore[arg-type]
        return node

    def visit_head(self, one: ast.stmt) -> None:
        """The same in what stands before a statement's blocks."""
        for name in ("test", "iter", "items", "subject"):
            part: Any = getattr(one, name, None)
            if part is not None:
                setattr(one, name, list(map(self.visit, part)) if isinstance(part, list) else self.visit(part))


class _Whole(ast.NodeTransformer):
    """Lets every statement mean the same in a function of its own: declarations to the front, `super()` in full."""

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
