"""The rewriter of scripts: replaces conditions and loops by functions, so that tensors may decide them.

Note [Scripts]
~~~~~~~~~~~~~~
`if c: a = f(x) else: a = g(x)` becomes two functions of the variables that the statements read, which return the
variables that they bind and that are read later, and `a, = choose(c, one, other, (x, a), ("a",))`; `runtime.py` defines
`choose`. If an `if` returns, the statements after it become part of the function for the other branch, so that both
functions return. `while` and `for` over `range` become functions of the variables that they change. A variable without
a value is passed as UNDEFINED, and deleted afterwards.

A statement that cannot become part of a function (`break`, `yield`, `super()`, `global`, a `return` inside a loop) is
not rewritten. Its condition is wrapped by `plain`, which names the construct if a tensor decides.
"""

from __future__ import annotations

import ast
from copy import deepcopy
from typing import TYPE_CHECKING, Any, TypeVar

from .._source.statements import DEFINES, loaded
from .liveness import SCOPES, bound_by, inside, live_before

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence, Set

N = TypeVar("N", ast.stmt, ast.expr)
FLOW, CALLEE = "<flow>", "<callee>"  # variables with names that programs cannot use
JUMPS = (ast.Break, ast.Continue)
MOVES = (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)  # nodes that cannot be moved to another function
COMPOUND = (ast.For, ast.While, ast.With, ast.Try, ast.Match)


def rewritten(tree: ast.FunctionDef) -> ast.FunctionDef:
    """Return the tree of a function, rewritten as in Note [Scripts]; `tree` is modified."""
    arguments = tree.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    named += [argument for argument in (arguments.vararg, arguments.kwarg) if argument is not None]
    given = {argument.arg for argument in named}
    outer = {name for node in inside(tree.body) if isinstance(node, (ast.Global, ast.Nonlocal)) for name in node.names}
    work = _Rewriter((given | bound_by(tree.body)) - outer, outer)
    body = tree.body
    start = [body[0]] if ast.get_docstring(tree) is not None else []
    tree.body = start + work.block(body[len(start) :], set(), given - bound_by(_deletions(body)), True) or [ast.Pass()]
    return tree


def _deletions(body: Sequence[ast.stmt]) -> list[ast.AST]:
    return [node for node in inside(body) if isinstance(node, ast.Delete)]


class _Rewriter:
    """The rewriter of the blocks of one function.

    Arguments:
        own: its variables.
        outer: the `global` and `nonlocal` names that it binds.
    """

    def __init__(self, own: Set[str], outer: Set[str]):
        self.own, self.outer, self.count = own, outer, 0

    def block(self, body: Sequence[ast.stmt], after: Set[str], sure: Set[str], ends: bool) -> list[ast.stmt]:
        """Return rewritten statements.

        Arguments:
            body: the statements.
            after: the names that may be read after them.
            sure: the names that certainly have a value at the start.
            ends: True if the function returns after them.
        """
        made: list[ast.stmt] = []
        for place, statement in enumerate(body):
            rest = body[place + 1 :]
            live = live_before(rest, after)
            bound = bound_by([statement])
            later = sure - bound if isinstance(statement, ast.Delete) else sure | _surely_bound([statement], bound)
            if isinstance(statement, ast.If):
                returns = any([isinstance(node, ast.Return) for node in inside([statement])])
                why = self._stays(statement, returns and not ends)
                if why is None and returns:
                    return made + self._returning_if(statement, rest, sure)
                made += self._if(statement, live, sure) if why is None else self._plain(statement, live, sure, why)
            elif isinstance(statement, ast.While):
                why = self._stays(statement, True)
                made += self._while(statement, live, sure) if why is None else self._plain(statement, live, sure, why)
            elif isinstance(statement, ast.For) and _is_range(statement):
                why = self._stays(statement, True) or _kept_target(statement, live)
                made += self._range(statement, live, sure) if why is None else self._nested(statement, live, sure)
            else:
                made += self._nested(statement, live, sure)
            sure = later
        return made

    # ------------------------------------------------------------------------------------------------ statements
    def _if(self, statement: ast.If, live: Set[str], sure: Set[str]) -> list[ast.stmt]:
        names = sorted(bound_by([*statement.body, *statement.orelse]) & live)
        reads = self._reads([statement.body, statement.orelse], names)
        functions = []
        for side, body in (("true", statement.body), ("false", statement.orelse)):
            result = ast.Return(self._values(names, sure | _surely_bound(body, names)))
            functions.append(self._function(side, reads, [*self.block(body, set(names), sure, False), result], sure))
        after = sure | (_surely_bound(statement.body, names) & _surely_bound(statement.orelse, names))
        arguments = [
            self.expression(statement.test),
            *[_load(each.name) for each in functions],
            self._values(reads, sure),
        ]
        return _at(statement, [*functions, *self._assigned("choose", [*arguments, _texts(names)], names, after)])

    def _returning_if(self, statement: ast.If, rest: Sequence[ast.stmt], sure: Set[str]) -> list[ast.stmt]:
        sides = []
        for body in (statement.body, statement.orelse):
            whole = [*body, *([] if _always_leaves(body) else deepcopy(list(rest)))]
            sides.append(whole if whole and _always_leaves(whole) else [*whole, ast.Return(ast.Constant(None))])
        reads = self._reads(sides, [])
        functions = [
            self._function(name, reads, self.block(body, set(), sure, True), sure)
            for name, body in zip(("true", "false"), sides, strict=True)
        ]
        arguments = [
            self.expression(statement.test),
            *[_load(each.name) for each in functions],
            self._values(reads, sure),
        ]
        return _at(statement, [*functions, ast.Return(_call("choose_result", arguments))])

    def _while(self, statement: ast.While, live: Set[str], sure: Set[str]) -> list[ast.stmt]:
        names, given = self._carried(statement, live, loaded([statement.test]))
        after = set(names) | loaded([statement.test])
        result = ast.Return(self._values(names, sure | _surely_bound(statement.body, names)))
        functions = [
            self._function("test", [*given, *names], [ast.Return(self.expression(statement.test))], sure),
            self._function("body", [*given, *names], [*self.block(statement.body, after, sure, False), result], sure),
        ]
        arguments = [*[_load(each.name) for each in functions], self._values(given, sure), self._values(names, sure)]
        return _at(statement, [*functions, *self._assigned("loop", [*arguments, _texts(names)], names, sure)])

    def _range(self, statement: ast.For, live: Set[str], sure: Set[str]) -> list[ast.stmt]:
        call = statement.iter
        assert isinstance(call, ast.Call)
        target = bound_by([statement.target])
        names, given = [[name for name in each if name not in target] for each in self._carried(statement, live, set())]
        result = ast.Return(self._values(names, sure | _surely_bound(statement.body, names)))
        body = [*self.block(statement.body, set(names), sure | target, False), result]
        function = self._function("body", [*given, *names, *target], body, sure | target)
        limits = ast.Tuple([self.expression(each) for each in call.args], ast.Load())
        values = [self._values(given, sure), self._values(names, sure)]
        arguments = [call.func, limits, _load(function.name), *values, _texts(names)]
        return _at(statement, [function, *self._assigned("loop_over", arguments, names, sure)])

    def _carried(self, statement: ast.While | ast.For, live: Set[str], test: Set[str]) -> tuple[list[str], list[str]]:
        """Return the variables that a loop changes and that are read, and the other variables that it reads."""
        names = bound_by([statement]) & (live_before([statement], live) | live)
        read = live_before(statement.body, names | test) | test
        return sorted(names), sorted((read & self.own) - names)

    def _plain(self, statement: ast.If | ast.While, live: Set[str], sure: Set[str], why: str) -> list[ast.stmt]:
        """Return a condition or loop that is not rewritten; its test names the construct if a tensor decides."""
        statement.test = ast.copy_location(
            _call("plain", [self.expression(statement.test), ast.Constant(why)]), statement.test
        )
        return self._nested(statement, live, sure, done=(statement.test,))

    def _nested(
        self, statement: ast.stmt, live: Set[str], sure: Set[str], done: Sequence[ast.AST] = ()
    ) -> list[ast.stmt]:
        """Return a statement that is not rewritten itself, with its parts rewritten."""
        if isinstance(statement, DEFINES):
            return [statement]
        after = live | (live_before([statement], live) if isinstance(statement, COMPOUND) else set())
        for name, value in ast.iter_fields(statement):
            if isinstance(value, ast.expr) and not any([value is each for each in done]):
                setattr(statement, name, self.expression(value))
            elif isinstance(value, list):
                if value and isinstance(value[0], ast.stmt):
                    setattr(statement, name, self.block(value, after, sure, False))
                elif value and isinstance(value[0], ast.expr):
                    setattr(statement, name, [self.expression(each) for each in value])
                else:
                    for each in value:
                        self._inner(each, after, sure)
        return [statement]

    def _inner(self, node: object, after: Set[str], sure: Set[str]) -> None:
        """Rewrite a part of a statement other than statements: a handler, a case, an item of `with`."""
        if isinstance(node, (ast.ExceptHandler, ast.match_case)):
            node.body = self.block(node.body, after, sure, False)
        elif isinstance(node, ast.withitem):
            node.context_expr = self.expression(node.context_expr)

    def expression(self, expression: ast.expr) -> ast.expr:
        """Return a rewritten expression."""
        return _Expressions().visit(expression)  # type: ignore[return-value]  # an expression

    # ------------------------------------------------------------------------------------------------------ parts
    def _stays(self, statement: ast.If | ast.While | ast.For, no_return: bool) -> str | None:
        """Return the construct because of which a statement cannot become functions, or None."""
        word = type(statement).__name__.lower()
        if not isinstance(statement, ast.If) and statement.orelse:
            return f"`{word}` with `else`"
        if isinstance(statement, ast.While) and bound_by([statement.test]):
            return f"`{word}` with `:=`"
        if bound_by([statement]) & self.outer:
            return f"`{word}` that binds a name of `global` or `nonlocal`"
        for node in inside([statement]):
            if isinstance(node, (ast.Yield, ast.YieldFrom, ast.Await)):
                return f"`{word}` with `{type(node).__name__.lower()}`"
            if isinstance(node, ast.Delete) and bound_by([node]):
                return f"`{word}` with `del`"
            if isinstance(node, ast.Name) and node.id in ("super", "locals", "vars", "eval", "exec"):
                return f"`{word}` with `{node.id}`"
            if isinstance(node, ast.Return) and no_return:
                return f"`{word}` with `return`"
            if isinstance(node, COMPOUND) and any([isinstance(each, ast.Return) for each in inside([node])]):
                return f"`{word}` with a `return` inside of another statement"
        if _jumps_of(statement):
            return f"`{word}` with `break` or `continue`"
        return None

    def _reads(self, sides: Iterable[Sequence[ast.stmt]], names: Sequence[str]) -> list[str]:
        """Return the arguments for statements: variables that they read, and those that they may leave unchanged."""
        found: set[str] = set()
        return sorted(found.union(*[live_before(body, set(names)) for body in sides]) & self.own)

    def _values(self, names: Sequence[str], sure: Set[str]) -> ast.expr:
        """Return the values of variables, some of which may be undefined, as a tuple."""
        return ast.Tuple([_load(name) if name in sure else _or_undefined(name) for name in names], ast.Load())

    def _function(self, what: str, names: Sequence[str], body: list[ast.stmt], sure: Set[str]) -> ast.FunctionDef:
        """Return a function of these variables; those without a value are deleted in it."""
        self.count += 1
        start = [_deleted(name) for name in names if name not in sure]
        arguments = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        made = ast.FunctionDef(f"<{what} {self.count}>", arguments, [*start, *body], [])
        made.type_params = []  # type: ignore[attr-defined]  # required since Python 3.12
        return made

    def _assigned(self, function: str, arguments: list[ast.expr], names: list[str], sure: Set[str]) -> list[ast.stmt]:
        """Return the call of a function that returns the values of these variables."""
        call = _call(function, arguments)
        if not names:
            return [ast.Expr(call)]
        target = ast.Tuple([ast.Name(name, ast.Store()) for name in names], ast.Store())
        return [ast.Assign([target], call), *[_deleted(name) for name in names if name not in sure]]


class _Expressions(ast.NodeTransformer):
    """A transformer of conditions inside expressions, and of calls."""

    def visit(self, node: ast.AST) -> ast.AST:
        """Return a rewritten node; functions have blocks of their own."""
        if isinstance(node, SCOPES) or any([isinstance(moves, MOVES) for moves in inside([node])]):
            return node
        made: Any = super().visit(node)
        return made if made is node else _located(made, node)  # type: ignore[arg-type]  # expressions are replaced

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """Rewrite `a if c else b`."""
        self.generic_visit(node)
        return _call("choose_value", [node.test, _later(node.body), _later(node.orelse)])

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Rewrite `a and b`, `a or b`."""
        self.generic_visit(node)
        return _call("both" if isinstance(node.op, ast.And) else "either", [_later(value) for value in node.values])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Rewrite `not a`."""
        self.generic_visit(node)
        return _call("negated", [node.operand]) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Rewrite `a < b < c`."""
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        signs = ast.Tuple([ast.Constant(type(operator).__name__) for operator in node.ops], ast.Load())
        return _call("compared", [node.left, signs, *[_later(comparator) for comparator in node.comparators]])

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Rewrite `x[i]`."""
        self.generic_visit(node)
        if isinstance(node.slice, (ast.Slice, ast.Tuple, ast.Constant)) or isinstance(node.ctx, ast.Del):
            return node
        if isinstance(node.ctx, ast.Load):
            return _call("item", [node.value, node.slice])
        node.slice = _located(_call("place", [node.slice]), node.slice)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Rewrite `f(x)` to call the script of f if f is a function of the program."""
        self.generic_visit(node)
        if not (isinstance(node.func, ast.Name) and node.func.id in ("super", "locals", "vars", "eval", "exec")):
            node.func = ast.Call(_load(CALLEE), [node.func], [])
        return node


def _call(function: str, arguments: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Attribute(_load(FLOW), function, ast.Load()), arguments, [])


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _later(value: ast.expr) -> ast.Lambda:
    return ast.Lambda(ast.arguments([], [], None, [], [], None, []), value)


def _or_undefined(name: str) -> ast.expr:
    return _call("get", [_later(_load(name))])


def _deleted(name: str) -> ast.stmt:
    """Return `if name is UNDEFINED: del name`."""
    undefined = ast.Attribute(_load(FLOW), "UNDEFINED", ast.Load())
    return ast.If(ast.Compare(_load(name), [ast.Is()], [undefined]), [ast.Delete([ast.Name(name, ast.Del())])], [])


def _surely_bound(body: Sequence[ast.stmt], names: Iterable[str]) -> Set[str]:
    """Return those of these names that certainly have a value after a block."""
    return {name for name in names if name not in live_before(body, {name})}


def _texts(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(name) for name in names], ast.Load())


def _at(statement: ast.stmt, made: list[ast.stmt]) -> list[ast.stmt]:
    """Return statements at the line of the one that they replace."""
    return [_located(each, statement) for each in made]


def _located(made: N, node: ast.expr | ast.stmt) -> N:
    """Return a replacement at the line where a node begins: Python assigns calls of methods to the last line."""
    made.lineno, made.col_offset = node.lineno, node.col_offset
    made.end_lineno, made.end_col_offset = node.lineno, node.col_offset
    return made


def _is_range(statement: ast.For) -> bool:
    """Return True for a loop over `range` of one to three numbers with a single variable."""
    call = statement.iter
    return (
        isinstance(statement.target, ast.Name) and isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
        and call.func.id == "range" and not call.keywords and 1 <= len(call.args) <= 3
        and not any([isinstance(each, ast.Starred) for each in call.args])
    )  # fmt: skip


def _kept_target(statement: ast.For, live: Set[str]) -> str | None:
    """Return the construct of a loop if its variable is read later, else None."""
    return "`for` whose variable is read behind it" if bound_by([statement.target]) & live else None


def _jumps_of(statement: ast.If | ast.While | ast.For) -> bool:
    """Return True if a statement contains a `break` or `continue` that leaves it or belongs to it."""
    loops = (*SCOPES, ast.For, ast.While)
    return any([isinstance(node, JUMPS) for node in inside([*statement.body, *statement.orelse], loops)])


def _always_leaves(body: Sequence[ast.stmt]) -> bool:
    """Return True if execution never continues after these statements."""
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.If):
        return _always_leaves(last.body) and _always_leaves(last.orelse)
    return isinstance(last, (ast.Return, ast.Raise))
