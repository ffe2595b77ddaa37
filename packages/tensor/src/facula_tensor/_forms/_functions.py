"""Source text of public functions, generated from declarations."""

from __future__ import annotations

import inspect
import re
from textwrap import indent
from typing import TYPE_CHECKING

import facula_tensor
from facula_tensor._dispatch.kinds import KINDS, ArgumentKind
from facula_tensor._dispatch.namespaces import operators
from facula_tensor._dispatch.written import takes_inplace

from ._arguments import Argument, arguments_of, listed, options_of, passed_on
from ._docstrings import changing_docstring, docstring
from ._inline import body_of, is_short

if TYPE_CHECKING:
    from facula_tensor._core.types import Function
    from facula_tensor._dispatch.written import Declared

WIDTH = 120
PARTS = re.compile(r', (?![^()]*\))(?=(?:[^"]*"[^"]*")*[^"]*$)')  # commas outside brackets and quotes
INSIDE = (("facula_errors", "FaculaError"), ("facula_errors.extend", "trim_traceback"))
RENAMED = {"axis": "dim", "keepdims": "keepdim", "x2": "other"}  # from OTHER_NAMES of facula_errors
TYPES = {name: "facula_storage" for name in ("DType", "Device", "Layout")} | {
    "Callable": "collections.abc", "Sequence": "collections.abc", "Tensor": ".._core.tensor", "Size": ".._core.size",
    "Generator": ".._creation.generator", "NamedResults": "..ops.named_results", "SupportsIndex": "typing",
}  # fmt: skip
"""Where annotations find types that are not in `_core/types.pyi`."""
COMMON = frozenset("DTypeLike DeviceLike Dims LayoutLike Index Lengths MemoryFormat Number Operand Scalar".split())


class Text:
    """The source text of the functions of one declaration.

    - `needs`: the names that the functions import, as (module, name); `types`: those only for annotations.
    """

    def __init__(self, what: Declared) -> None:
        self.what, self.operation = what, what.label or what.name
        self.op = None if what.is_body or what.calls else operators[what.name]
        self.operands = arguments_of(what)
        flag = what.inplace or (not what.is_body and takes_inplace(what.signature))
        self.inplace = [Argument("inplace", KINDS["Flag"], False)] * flag
        self.out = [Argument("out", ArgumentKind("Tensor | None"), None, by_name=True)] * bool(
            what.out and not what.maker
        )
        self.options = options_of(what)
        self.leading = what.signature.__code__.co_varnames[:2]  # may be F and `operation`
        self.named = "operation" in self.leading
        apart = what.out if isinstance(what.out, tuple) else ()
        self.apart = f", ({', '.join(apart)}{',' * (len(apart) == 1)})" if apart else ""
        self.needs: set[tuple[str, str]] = set()
        returned = what.signature.__annotations__.get("return", "None")
        self.returned = "Tensor" if returned == "None" else returned
        texts = [self.returned, *[operand.kind.annotation for operand in [*self.operands, *self.options]]]
        words = {word for text in texts for word in re.findall(r"[A-Z]\w+", text)} - {"None", "Any", "Literal"}
        self.types = {(module_of(word, what), word) for word in words | {"Tensor"}}
        names = {operand.name for operand in self.operands}
        others = [other for other, usual in RENAMED.items() if usual in names and other not in names]
        asks_itself = self.op is not None and self.op.takes_same and not what.overridable
        self.renames = what.method and not what.quick and (bool(others) or asks_itself)

    def functions(self) -> list[str]:
        """Return the public function and, if there is one, its in-place variant."""
        what, arguments = self.what, [*self.operands, *self.inplace, *self.out, *self.options]
        steps = [*self.rare_options(), *self.checks(self.operation)]
        if self.inplace:
            steps += ["if inplace:", *[f"    {step}" for step in self.change(self.operation)]]
        steps += self.results()
        made = [
            self.function(what.name, arguments, docstring(what.doc, arguments, what.maker), steps, what.overridable)
        ]
        if what.changes:
            name = f"{what.name}_"
            first, *others = passed_on(self.operands)
            if first.kind.annotation.startswith("Operand"):  # `source` or the kernel checks the tensor to change
                first = first._replace(kind=KINDS["Tensor"], default=inspect.Parameter.empty)
            operands = self.operands = [first, *others]
            self.renames &= self.op is None
            last = [f"return {self.call(name)}"] if self.named else self.change(name)
            doc = changing_docstring(what.name, operands)
            asked = self.named or not what.method or (self.op is not None and what.overridable)
            steps = [*self.checks(name, changes=True), *last]
            if what.method and not hasattr(facula_tensor, name):  # functions name it as PyTorch does: `input`
                steps = [re.sub(rf"\b{first.name}\b", "self", step) for step in steps]
                operands, doc = [first._replace(name="self"), *others], doc.replace(f"`{first.name}`", "`self`")
            made.append(self.function(name, operands, doc, steps, asked))
        return made

    def checks(self, operation: str, changes: bool = False) -> list[str]:
        """Return the statements that check and convert arguments, and return early in special cases."""
        steps = []
        known = {"operation": operation, "first": self.operands[0].name if self.operands else ""}
        known["star"] = next((operand.name for operand in self.operands if operand.stands_for_all), "")
        for operand in sorted(self.operands, key=lambda operand: not operand.kind.alias_of):
            if operand.kind.convert:
                self.needs.update(operand.kind.imports)
                known["name"] = operand.name
                step = (
                    f"{operand.kind.alias_of.format(**known) or operand.name} = {operand.kind.convert.format(**known)}"
                )
                condition = operand.kind.condition.format(**known)
                steps += [f"if {condition}:", f"    {step}"] if condition else [step]
        for condition, expectation in self.what.refuses.items():
            self.needs.add(("facula_errors", "ArgumentError"))
            text = f'{"f" * ("{" in expectation)}"{operation}: expected {expectation}"'
            steps += [f"if {condition}:", f"    raise ArgumentError({text})"]
        for condition, other in self.what.special_cases.items():
            if not isinstance(other, str):
                steps += [f"if {condition}:", *[f"    {step}" for step in self.special(other, operation, changes)]]
        return steps

    def special(self, function: Function, operation: str, changes: bool) -> list[str]:
        """Return the statements that compute the result in a special case by calling `function`."""
        if changes:
            return self.stored(operation, self.call_of(function, operation, "before"))
        call = self.call_of(function, operation)
        if not self.out or "out" in function.__code__.co_varnames[: function.__code__.co_argcount]:
            return [f"return {call}"]
        self.needs.add((".._dispatch.slow_path.writing", "write_out"))
        return [f"result = {call}", f'return result if out is None else write_out("{self.operation}", result, out)']

    def rare_options(self) -> list[str]:
        """Return the first statements of a function that creates tensors: see Note [Options of creation]."""
        if not self.what.maker:
            return []
        self.needs.add((".._creation.filled", "with_options"))
        rare = "out is not None or layout is not None" if self.what.out else "layout is not None"
        return [f"if {rare} or pin_memory:", f"    return with_options({self.what.name}, locals())"]

    def results(self) -> list[str]:
        """Return the last statements, which compute and return the result."""
        if self.op is not None and self.op.elementwise and (self.out or self.others()):
            return self.of_operators()
        *steps, last = self.result("result" if (self.out and self.what.prepare is None) or self.options else "")
        if self.options:
            self.needs.add((".._creation.filled", "with_memory_format" if self.what.memory_format else "finish"))
            if not self.what.memory_format:
                return [*steps, last, "return result if requires_grad is False else finish(result, requires_grad)"]
            condition = "if memory_format is not None or requires_grad is not False:"
            change = "    result = with_memory_format(result, memory_format, requires_grad)"
            return [*steps, last, condition, change, "return result"]
        if not self.out or self.what.prepare is not None:
            return [*steps, last]
        self.needs.add((".._dispatch.slow_path.writing", "write_out"))
        return [
            *steps,
            last,
            f'return result if out is None else write_out("{self.operation}", result, out{self.apart})',
        ]

    def result(self, name: str) -> list[str]:
        """Return the statements that assign the result to `name`, or return it if `name` is empty."""
        before = f"{name} = " if name else "return "
        if not (self.what.inline or is_short(self.what)):
            return [before + self.call(self.operation)]
        text, needs, returns = body_of(self.what)
        if returns > 1 and name:
            raise SystemExit(f"{self.operation}: a body that stands inline has one return, at its end")
        self.needs |= needs
        at = text.rindex("return ")
        return (text[:at] + before + text[at + len("return ") :]).split("\n")

    def others(self) -> list[tuple[str, str]]:
        """Return the pairs (condition, operator) of the special cases that another operator computes."""
        return [(condition, other) for condition, other in self.what.special_cases.items() if isinstance(other, str)]

    def of_operators(self) -> list[str]:
        """Return the last statements if an elementwise operator, or another in special cases, computes the result."""
        self.needs |= {(".._dispatch.namespaces", "recorded_ops as ops")}
        steps, choices = [], [*self.others(), ("", self.what.name)]
        direct = self.out and self.op is not None and self.op.arity == 2
        for place, (condition, name) in enumerate(choices):
            given = ", ".join(operators[name].inputs)
            step = f"result = ops.{name}({given})"
            if direct:
                self.needs.add((".._dispatch.slow_path.slow_call", "call_out"))
                step += f' if out is None else call_out("{name}", ({given}{"," * (", " not in given)}), out)'
            head = f"{'el' * (place > 0)}if {condition}:" if condition else "else:"
            steps += [head, f"    {step}"] if len(choices) > 1 else [step]
        if any([operand.kind.annotation.startswith("Operand") for operand in self.operands]):
            self.needs.add((".._dispatch.arguments", "unusable"))
            raised = f'raise unusable("{self.operation}", ({", ".join(operators[self.what.name].inputs)}))'
            steps += ["if result is NotImplemented:", f"    {raised}"]
        if not self.out or direct:
            return [*steps, "return result"]
        self.needs.add((".._dispatch.slow_path.writing", "write_out"))
        return [*steps, f'return result if out is None else write_out("{self.operation}", result, out)']

    def change(self, operation: str) -> list[str]:
        """Return the statements that change the input: by an in-place operator, or by copying the result into it."""
        if self.op is None or not hasattr(self.op, "changing"):
            return self.stored(operation, self.call(operation, "before"))
        self.needs.add((".._dispatch.namespaces", "inplace_ops"))
        calls = [
            (condition, f"return inplace_ops.{name}({', '.join(operators[name].inputs)})")
            for condition, name in [*self.others(), ("", self.what.name)]
        ]
        return [line for condition, step in calls
                for line in ([f"if {condition}:", f"    {step}"] if condition else [step])]  # fmt: skip

    def stored(self, operation: str, result: str) -> list[str]:
        """Return the statement that computes `result`, a call with the argument `before`, and copies it into the
        input."""
        self.needs.add(("..ops.memory.assignment", "changed"))
        before, _, after = result.partition("before")
        function, _, leading = before.partition("(")
        given = [f'"{operation}"', self.operands[0].name, function]
        given += [after.removeprefix(", ").removesuffix(")")] * (after != ")")
        given += [f"leading=({leading.removesuffix(' ')})"] * bool(leading)
        return [f"return changed({', '.join(given)})"]

    def call(self, operation: str, first: str = "") -> str:
        """Return the call of the operator or of the declared body; `first` replaces the first operand."""
        passed = passed_on(self.operands)
        if (prepare := self.what.prepare) is not None:
            self.needs.add((".._dispatch.namespaces", "recorded_ops as ops"))
            return f"ops.{self.what.name}(*{self.call_of(prepare, self.operation)}{', out' * bool(self.what.out)})"
        if not self.what.is_body:
            self.needs.add((".._dispatch.namespaces", "recorded_ops as ops"))
            given = [argument.name for argument in passed if argument.name not in self.what.parameters]
            given[0] = first or given[0]
            if parameters := self.what.parameters:
                given.append(f"({', '.join(parameters)}{',' * (len(parameters) == 1)})")
            return f"ops.{self.what.calls or self.what.name}({', '.join(given)})"
        given = [first or passed[0].passed, *[argument.passed for argument in passed[1:]]] if passed else []
        code = self.what.signature.__code__
        known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        given += [option.passed for option in self.options if option.name in known]
        self.needs.add((".._dispatch.written", "bodies_of"))
        if self.named:
            given.insert(0, f'"{operation}"')
        if "F" in self.leading:
            self.needs.add((".._dispatch.namespaces", "recorded_ops as ops"))
            given.insert(0, "ops")
        return f"bodies.{self.what.name}({', '.join(given)})"

    def call_of(self, function: Function, operation: str, first: str = "") -> str:
        """Return the call of a function `(operation, *arguments)`, with the arguments that its signature contains."""
        code = function.__code__
        names = code.co_varnames[1 : code.co_argcount]
        given = [argument.name for argument in passed_on([*self.operands, *self.out]) if argument.name in names]
        given = [f'"{operation}"', first or given[0], *given[1:]]
        is_own = function.__module__ == self.what.module  # still incomplete when it imports its functions
        module = ".._dispatch.written" if is_own else f"..{function.__module__.partition('.')[2]}"
        self.needs.add((module, "bodies_of" if is_own else function.__name__))
        return f"{'bodies.' * is_own}{function.__name__}({', '.join(given)})"

    def function(self, name: str, arguments: list[Argument], doc: str, steps: list[str], overridable: bool) -> str:
        """Return the source text of a function."""
        head = bracketed(f"def {name}(", listed(arguments), f") -> {self.returned}:")
        if not self.renames:
            self.needs.update(INSIDE)
            steps = ["try:", *[f"    {step}" for step in steps]]
            steps += ["except FaculaError as error:", "    trim_traceback(error)", "    raise"]
        lines = [f'"""{doc}"""' if "\n" not in doc else f'"""{doc}\n"""'] * bool(doc) + steps
        return self.decorators(overridable) + head + "\n" + indent("\n".join(map(fitted, lines)), "    ")

    def decorators(self, overridable: bool) -> str:
        """Return the decorators of a function."""
        lines = (
            (overridable, "@overridable", ".._dispatch.overrides"),
            (self.what.method, "@method()", ".._core.tensor"),
            (self.renames, "@boundary", "facula_errors.extend"),
        )
        self.needs |= {(module, text.strip("@()")) for wanted, text, module in lines if wanted}
        return "".join([f"{text}\n" for wanted, text, _ in lines if wanted])


def bracketed(before: str, parts: list[str], after: str, width: int = WIDTH) -> str:
    """Join parts between brackets with the line breaks that ruff would use."""
    given = ", ".join(parts)
    if len(before + given + after) <= width:
        return before + given + after
    fits = len(given) + 4 <= width or len(parts) == 1
    return "\n".join(
        [before, *[f"    {line}" for line in ([given] if fits else [f"{part}," for part in parts])], after]
    )


def fitted(step: str) -> str:
    """Return a statement of a function's body, split if it is a call that is too long for one line."""
    text = step.lstrip()
    depth, width = len(step) - len(text), WIDTH - 4 - (len(step) - len(text))
    if len(text) <= width or text.startswith('"""'):
        return step
    before, _, rest = text.partition("(")
    given, _, after = rest.rpartition(")")
    return indent(bracketed(f"{before}(", PARTS.split(given), f"){after}", width), " " * depth)


def module_of(word: str, what: Declared) -> str:
    """Return the module of a type in annotations, relative to `_forms/`; by default the declaring module."""
    return ".._core.types" if word in COMMON else TYPES.get(word, f"..{what.module.partition('.')[2]}")
