"""The `Operator`: one declaration, from which its functions, plans and gradient rules derive.

A declaration is a class body that reads top to bottom:

    @elementwise
    class tanh:
        '''The hyperbolic tangent of each element. ...'''

        result_dtype = floating                 # output rule
        def vjp_input(F, g, out):               # vjp rule, in other operators
            return F.tanh_grad(g, out)

The names of a vjp rule's arguments determine the values that it reads and the node saves: the name of
an operand, `out`, or (with `extras`) the operands' layouts and the parameters. See docs/how-to/adding-an-operator.md.
"""

from __future__ import annotations

from sys import _getframe
from typing import TYPE_CHECKING

from facula_errors import InvalidTypeError
from facula_storage import float32
from facula_storage.extend.layouts import FLOATING
from facula_storage.extend.plans import PlanTable

from .conversions import are_row_major, row_major
from .expressions.evaluation import traced_rule
from .expressions.gradients import derived_rule
from .namespaces import operators
from .rules.rule_arguments import refusing_rule
from .rules.vjp_rules import make_rules
from .written import OPTIONS, operands_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from facula_autograd.extend.nodes import Rule
    from facula_storage import DType, Layout
    from facula_storage.extend.plans import Program

    from .._core.tensor import Tensor
    from .._core.types import Edges, Function, Parameters
    from .expressions.gradients import Expression


# The attributes of a declaration besides the vjp rules of its operands.
KNOWN = frozenset(
    "accepts arity batching bilinear broadcasts cached compute_dtype decompose differentiable direct dunders execute "
    "has_kernel holomorphic inplace inplace_dunders inputs is_part jvp kernel launch_scalars linear low_bits "
    "mask_operands mutates named no_gradient optional outputs parameters program reads_values reflected result_dtype "
    "results row_major scaled signature unconverted_if validate_layouts validate_values value varying vjp_all "
    "widens window".split()
).union(OPTIONS)


def same(dtype: DType) -> DType:
    """The result has the operands' dtype."""
    return dtype


def _check_names(operation: str, declared: Iterable[str], known: frozenset[str]) -> None:
    """Raise TypeError for an unknown attribute."""
    for name in declared:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, sorted(known), 1, 0)
            raise InvalidTypeError(f"{operation}: a declaration has no attribute {name!r}; the nearest is {near[0]!r}")


class Operator:
    """The description of one operator.

    - `inputs`: names of the tensor operands; `arity`: their number (-1: any). `optional` names those that may be None
      (the launch gets address 0), `mutates` those that the kernel changes in place, `widens` those that are converted
      to float32 if they are zero-dimensional and the operator computes in float16 or bfloat16.
    - `signature(*arguments)`: the public function's arguments, with kinds as annotations; operands have their names.
      OPTIONS in written.py lists further options of that function.
    - `outputs(*layouts, *parameters)`: the layout of the result, or a tuple of layouts. An elementwise operator has
      `compute_dtype` (operands' dtype -> dtype it computes in) and `result_dtype` (that -> dtype of the result)
      instead. For other operators, `compute_dtype(*dtypes)` is the dtype to which operands are converted, unless
      `unconverted_if(*layouts, *parameters)`; the first result has the first operand's dtype.
    - `value(F, *operands)`: an elementwise operator as an expression of others, which becomes a program: one launch.
      Its rules derive from the expression, unless `partial_input(F, ...)` defines the derivative by an operand, or
      `vjp_input` its rule; `no_gradient` names operands without a gradient, for which an error is raised if one is
      required. With `has_kernel`, the backend also has a loop that computes the expression, which then only defines
      derivatives and files of other formats.
    - `kernel`: the backend's name for it. `scaled`, where not 0: `alpha` is a factor of the second operand, with this
      sign.
    - `validate_layouts(*layouts, *parameters)` and `validate_values(*operands)` raise for operands that promotion
      alone would accept; with `reads_values`, integer operands skip the fast path.
    - `decompose(F, operands, parameters)` may compute a call by other operators, and is skipped if `direct(*layouts)`
      is true. `execute(operands, parameters)` replaces plan and launch. `row_major`: the kernel takes contiguous
      operands; others are copied first. Its own `decompose` must not depend on lengths or strides.
    - `broadcasts`: whether gradients may have a larger shape, or a wider dtype, than their operands: they are summed.
    - `vjps`: an operand's name -> its rule. `vjp_all(F, g, edges, ...)`: the gradients of all operands at once, None
      where an edge is.
    - `linear`: the operands in which the operator is jointly linear; `bilinear`: those in each of which it is
      separately linear (`linear` are then those that are added, and optional). `jvp(F, tangents, ...)`: the tangent
      of the result, if applying the vjp rules twice would be slow; `tangents` has None for operands without one, and
      the other arguments are those of a vjp rule.
    - `batching`: its batching rule: see Note [Batching] in `transforms/batching.py`.
    - `launch_scalars`: the last parameters, if they are numbers for the launch that plans do not depend on.
    - `varying`: parameters that depend on shapes: those of Note [Other shapes] in `slow_path/planning.py`.
    - `results`: names of the results; rules refer to those after the first by name.
    - `call`, `no_record`, `default_mode_call` and `library_call`: the functions made from it: see `fast/`.
    """

    def __init__(self, body: type, *, is_elementwise: bool):
        frame = _getframe(2)  # the place of the decorator
        self.declared_at: tuple[str, int] = vars(body).get("__place__", (frame.f_code.co_filename, frame.f_lineno))
        self.forms: dict[str, Function] = {}  # the forms that `inspect` shows for its functions, by kind
        declared = {name: value for name, value in vars(body).items() if not name.startswith("__")}
        self.name: str = body.__name__.lstrip("_")  # a leading underscore means: without a public name
        self.doc: str = body.__doc__ or ""
        self.module: str = body.__module__
        self.elementwise = is_elementwise
        self.signature: Function | None = declared.get("signature")
        self.parameters: tuple[str, ...] = declared.get("parameters", ())
        operands: tuple[str, ...] = ("input",)
        if self.signature is not None and "prepare" not in declared:
            operands = operands_of(self.signature, self.parameters)
        self.inputs: tuple[str, ...] = declared.get("inputs", operands)
        own = [f"{kind}_{name}" for name in self.inputs for kind in ("vjp", "partial")]
        _check_names(self.name, declared, KNOWN.union(own))
        self.arity: int = declared.get("arity", len(self.inputs))
        self.compute_dtype: Callable[..., DType] = declared.get("compute_dtype", same)
        self.converts: bool = "compute_dtype" in declared and not is_elementwise
        # dtypes in which the operator computes without conversion if all operands have them
        self.unconverted: set[DType] = set()
        self.unconverted_if: Callable[..., bool] | None = declared.get("unconverted_if")
        self.result_dtype: Callable[[DType], DType] = declared.get("result_dtype", same)
        self.outputs: Callable[..., Layout | tuple[Layout, ...]] | None = declared.get("outputs")
        self.kernel: str = declared.get("kernel", self.name)
        self.validate_layouts: Callable[..., None] | None = declared.get("validate_layouts")
        self.decompose: Function | None = declared.get("decompose")
        self.direct: Callable[..., bool] | None = declared.get("direct")
        if declared.get("row_major"):
            self.decompose = row_major(self.name, self.decompose)
            self.direct = self.direct or are_row_major
        self.execute: Callable[..., list[Tensor]] | None = declared.get("execute")
        self.accepts: Callable[[DType], bool] | None = declared.get("accepts")
        self.validate_values: Callable[..., None] | None = declared.get("validate_values")
        self.broadcasts: bool = declared.get("broadcasts", is_elementwise)
        self.reads_values: bool = declared.get("reads_values", False)
        self.holomorphic: bool = declared.get("holomorphic", True)
        self.scaled: int = declared.get("scaled", 0)
        self.widens: frozenset[int] = frozenset([self.inputs.index(name) for name in declared.get("widens", ())])
        self.low_bits: bool = declared.get("low_bits", False)
        self.mask_operands: int = declared.get("mask_operands", 0)
        self.inplace: bool = declared.get("inplace", is_elementwise and self.result_dtype is same)
        self.differentiable: tuple[int, ...] = declared.get("differentiable", (0,))
        self.optional: tuple[str, ...] = declared.get("optional", ())
        self.mutates: tuple[int, ...] = tuple([self.inputs.index(name) for name in declared.get("mutates", ())])
        self.launch_scalars: tuple[str, ...] = declared.get("launch_scalars", ())
        self.fixed: int = len(self.parameters) - len(self.launch_scalars)
        self.varying: tuple[int, ...] = tuple([self.parameters.index(name) for name in declared.get("varying", ())])
        self.steady = tuple([place for place in range(self.fixed) if place not in self.varying])
        self.results: tuple[str, ...] = declared.get("results", ("out",))
        self.vjp_all: Function | None = declared.get("vjp_all")
        self.vjps: dict[str, Function] = {
            name: declared[f"vjp_{name}"] for name in self.inputs if f"vjp_{name}" in declared
        }
        self.value: Function | None = declared.get("value")
        self.has_kernel: bool = declared.get("has_kernel", self.value is None)
        self.program: Program | None = declared.get("program")
        self.expression: Expression | None = None
        self.gradients: dict[tuple[tuple[str, ...], frozenset[str]], Operator | None] = {}
        derives = self.value is not None and self.result_dtype(float32).category >= FLOATING
        for name in self.inputs:
            partial = declared.get(f"partial_{name}")
            if derives and name in declared.get("no_gradient", ()):
                self.vjps[name] = refusing_rule(self.name, name)
            elif partial is not None or (derives and name not in self.vjps):
                self.vjps[name] = derived_rule(self, name, partial)
        if is_elementwise:
            self.vjps = {n: rule if hasattr(rule, "identity") else traced_rule(rule) for n, rule in self.vjps.items()}
        self.linear: tuple[str, ...] = declared.get("linear", ())
        self.bilinear: tuple[str, ...] = declared.get("bilinear", ())
        self.jvp: Function | None = declared.get("jvp")
        self.batching: str | Function | None = declared.get("batching")
        self.table: PlanTable = PlanTable(self.name)
        self.scaled_table: PlanTable = PlanTable("add_scaled")
        self.inplace_table: PlanTable = PlanTable(self.name)  # for unequal layouts: the target's, then the other's
        # plans hidden from the fast path: complex ones, given outputs
        self.slow_table: PlanTable = PlanTable(self.name)
        self.rule: Rule
        self.broadcast_rule: Rule  # for operands of unequal layouts
        self.scalar_rule: Rule  # for a tensor and a number
        self.number_first_rule: Rule
        self.complex_rules: dict[Rule, Rule]
        self.finds_complex_rules = False  # whether its fast path does, by the dtype of the first operand
        self.saves_input: bool
        self.saves_out: bool
        self.saves_both: bool  # the operand and the result
        self.saves_further: bool  # whether rules read results after the first
        self.recorded: bool  # it has rules
        self.extras: bool  # whether rules read layouts or parameters
        self.is_fast: bool  # one of the two shapes of fast/unary.py
        self.operand_needs: tuple[tuple[bool, ...], ...] = ()
        self.needs: dict[str, tuple[str, ...]]
        make_rules(self)
        self.call: Function
        self.no_record: Function
        self.default_mode_call: Function
        self.library_call: Function
        self.public: Function
        self.takes_same = self.signature is None  # whether the public function takes the operands unconverted
        self.changing: Function
        self.window: Function | None = None
        self.named: tuple[str, ...] = ()  # aliases of the first parameters of a view
        self.make_calls: Function

    def public_with(self, parameters: Parameters) -> Function:
        """The public function, with `parameters` already given."""
        public = self.public
        if not parameters:
            return public
        return lambda *operands, **kwargs: public(*operands, parameters, **kwargs)

    def saved_operands(self, edges: Edges) -> list[bool]:
        """Return which operands a node must save, given which of them need a gradient."""
        wanted: set[str] = set()
        for name, edge in zip(self.inputs, edges, strict=False):
            if edge is not None:
                wanted.update(self.needs.get(name, ()))
        return [self.arity >= 0 and self.inputs[place] in wanted for place in range(len(edges))]

    def __repr__(self) -> str:
        return f"<operator {self.name}>"

    def __reduce__(self) -> tuple[object, ...]:
        return (operators.__getitem__, (self.name,))
