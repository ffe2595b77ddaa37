"""The kernels of elementwise operators and programs."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from facula_cpu.extend import typed_program
from facula_errors import MissingKeyError

from . import folded
from .values import BOOL, INTEGERS, SIZES, TYPES, UNSIGNED, Values, scalar

if TYPE_CHECKING:
    from facula_cpu.extend import TypedProgram
    from facula_storage.extend import Program

FEW = 6  # dimensions of strided arrays that most kernels have room for: MAX_NEST in csrc/launch.h
PACK_BYTES = 16  # of the widest operand that a thread of a dense kernel loads at once


class Kernels(NamedTuple):
    """The kernels of an operator for operands of given dtypes: their text, and what their parameter blocks contain.

    The arguments of a launch (see csrc/launch.h) are the number of elements, the addresses of the input arrays in
    order, those of the outputs, and the scalars in order. After them `nested` has the nest; `folded` has the address of
    scratch memory, the number of elements, and the nest; and each the address of the record of errors, if `requires`.
    """

    name: str
    source: str
    arrays: tuple[int, ...]  # the inputs that are arrays
    scalars: tuple[type, ...]  # how the others are passed: int or float; a complex number as two floats
    outputs: int
    vector: int  # elements of a pack of the dense kernel
    requires: int  # the status that is reported if an element is refused; 0 if none is
    itemsizes: tuple[int, ...]  # in bytes, of the arrays and of the outputs
    dense: str  # the names of the kernels; "" for those that do not exist
    nested: str
    folded: str = ""

    @property
    def words(self) -> int:
        """The number of the launch's arguments."""
        return 1 + len(self.itemsizes) + len(self.scalars)


class Form(NamedTuple):
    """The parts of a kernel's text that all kernels of an operator have in common."""

    name: str
    inputs: tuple[int, ...]  # the operands that are arrays, in the order of the launch
    scalars: tuple[tuple[str, bool], ...]  # the names of the scalars' words, and whether they are doubles
    types: tuple[str, ...]  # of the operands
    outputs: tuple[str, ...]  # types of the outputs
    unpack: tuple[str, ...]  # lines that convert the scalars
    vector: int
    status: int
    room: int  # dimensions of strided arrays

    def fields(self) -> list[str]:
        """Return the fields of the parameter block that are the launch's arguments."""
        return [
            "int64_t n;",
            *[f"const {self.types[place]} *a{place};" for place in self.inputs],
            *[f"{type_} *o{place};" for place, type_ in enumerate(self.outputs)],
            *[f"{'double' if is_real else 'int64_t'} {word};" for word, is_real in self.scalars],
        ]

    def record(self) -> list[str]:
        """Return the last field of the parameter block, if elements can be refused."""
        return ["unsigned long long *record;"] if self.status else []

    def call(self, loads: list[str], stores: list[str]) -> str:
        """Return the call that computes an element: from the arrays and the scalars to the outputs."""
        operands = dict(zip(self.inputs, loads, strict=True))
        given = [operands.get(place, f"x{place}") for place in range(len(self.types))]
        return f"{self.name}_element({', '.join([*given, *stores, 'ok'])});"

    def report(self) -> list[str]:
        """Return the lines after all elements of a thread."""
        return ["    if (!ok)", f"        report(p.record, {self.status});"] if self.status else []

    def nested_loads(self) -> tuple[list[str], list[str]]:
        """Return the elements of arrays and outputs at the offsets `at`."""
        loads = [f"*(const {self.types[place]} *)((const char *)p.a{place} + at[{k}])"
                 for k, place in enumerate(self.inputs)]  # fmt: skip
        stores = [f"*({type_} *)((char *)p.o{k} + at[{len(loads) + k}])" for k, type_ in enumerate(self.outputs)]
        return loads, stores


@lru_cache(maxsize=4096)
def generate(
    operator: str | Program, kinds: tuple[int | type, ...], outputs: tuple[int, ...], room: int = FEW
) -> Kernels | None:
    """Return the kernels of an elementwise operator or program.

    Arguments:
        operator: an operator's name, or a program.
        kinds: dtype codes of arrays, and types of scalars.
        outputs: dtype codes of the outputs.
        room: the number of dimensions that the nested or folded kernel has room for. Beyond FEW there is no dense one.

    Returns:
        The kernels; None for a reduction of anything but float32 and float64, and for operators
        without a loop or function of elements for these dtypes.

    >>> kernels = generate("add", (9, 9), (9,))
    >>> kernels.dense.startswith("add_"), kernels.vector, kernels.words
    (True, 4, 4)
    """
    typed = typed_program(operator, kinds, outputs)
    reduction = "" if isinstance(operator, str) else operator.reduction
    if typed is None or (reduction and (len(outputs) != 1 or outputs[0] not in folded.DTYPES)):
        return None
    given = [kinds[place] for place in typed.order]
    scalars = frozenset([place for place, kind in enumerate(given) if isinstance(kind, type)])
    try:
        values = Values(typed, scalars)
    except MissingKeyError:
        return None
    key = sha256(repr((operator, [str(kind) for kind in kinds], outputs, room)).encode()).hexdigest()[:12]
    name = re.sub(r"\W", "_", typed.name)
    form = _form_of(f"{name}_{key}", typed, given, outputs, values, room)
    own = ["facula/arrays.h", *(["facula/fold.h"] if reduction else [])]
    lines = [f'#include "{header}"' for header in (*own, *sorted(values.headers))]
    lines += [f"/* {_described(operator)} */", *_element(form, values)]
    lines += folded.kernel(form, reduction) if reduction else [*(_dense(form) if room == FEW else []), *_nested(form)]
    return Kernels(
        name=form.name,
        source="\n".join([*lines, ""]),
        arrays=tuple([place for place, kind in enumerate(kinds) if isinstance(kind, int)]),
        scalars=tuple([float if is_real else int for _, is_real in form.scalars]),
        outputs=len(outputs),
        vector=form.vector,
        requires=form.status,
        itemsizes=(*[SIZES[kind] for kind in kinds if isinstance(kind, int)], *[SIZES[code] for code in outputs]),
        dense="" if reduction or room > FEW else f"{form.name}_dense",
        nested="" if reduction else f"{form.name}_nested",
        folded=f"{form.name}_folded" if reduction else "",
    )


def _described(operator: str | Program) -> str:
    return str(operator).replace("*/", "* /")


def _form_of(
    name: str, typed: TypedProgram, given: list[int | type], outputs: tuple[int, ...], values: Values, room: int
) -> Form:
    """Return the form of a typed program whose operands are `given`: dtype codes, and types of scalars."""
    by_input = sorted(range(len(given)), key=typed.order.__getitem__)
    arrays = tuple([place for place in by_input if isinstance(given[place], int)])
    types = tuple([TYPES[code] for code in typed.operands])
    words: list[tuple[str, bool]] = []
    unpack: list[str] = []
    for place in by_input:
        if isinstance(given[place], type):
            code, rounding = typed.operands[place], typed.roundings[place]
            # How facula_cpu's planner passes scalars: as double, unless an int is used as an integer.
            is_real = given[place] is not int or code not in (BOOL, *INTEGERS, *UNSIGNED)
            parts = [f"s{place}", f"t{place}"] if given[place] is complex else [f"s{place}"]
            words += [(word, is_real) for word in parts]
            text = scalar([f"p.{word}" for word in parts], is_real, code, rounding)
            unpack.append(f"    const {types[place]} x{place} = {text};")
    widest = max([SIZES[typed.operands[place]] for place in arrays] + [SIZES[code] for code in outputs])
    vector = 1 if values.is_expensive else PACK_BYTES // widest
    stored = tuple([TYPES[code] for code in outputs])
    return Form(name, arrays, tuple(words), types, stored, tuple(unpack), vector, values.status, room)


def _element(form: Form, values: Values) -> list[str]:
    operands = [f"const {type_} x{place}" for place, type_ in enumerate(form.types)]
    operands += [f"{type_} &y{place}" for place, type_ in enumerate(form.outputs)]
    return [
        f"static ALWAYS_INLINE void {form.name}_element({', '.join([*operands, 'int &ok'])})",
        "{",
        *[f"    {line}" for line in values.lines],
        "}",
    ]


def _dense(form: Form) -> list[str]:
    """Return the kernel for contiguous arrays of one shape: a thread computes a pack, the last one what is left."""
    count = form.vector
    packs = [f"pack<{form.types[place]}, {count}>" for place in form.inputs]
    stored = [f"pack<{type_}, {count}>" for type_ in form.outputs]
    inside = form.call(
        [f"b{place}.at[j]" for place in form.inputs], [f"r{place}.at[j]" for place in range(len(form.outputs))]
    )
    single = form.call(
        [f"p.a{place}[j]" for place in form.inputs], [f"p.o{place}[j]" for place in range(len(form.outputs))]
    )
    return [
        f"struct {form.name}_arguments {{ {' '.join([*form.fields(), *form.record()])} }};",
        f"KERNEL({form.name}_dense, {form.name}_arguments)",
        "{",
        *form.unpack,
        f"    const int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * {count};",
        "    int ok = 1;",
        f"    if (i + {count} <= p.n) {{",
        *[f"        const {pack} b{place} = *(const {pack} *)(p.a{place} + i);"
          for pack, place in zip(packs, form.inputs, strict=True)],
        *[f"        {pack} r{place};" for place, pack in enumerate(stored)],
        "#pragma unroll",
        f"        for (int j = 0; j < {count}; j++)",
        f"            {inside}",
        *[f"        *({pack} *)(p.o{place} + i) = r{place};" for place, pack in enumerate(stored)],
        "    } else {",
        "        for (int64_t j = i; j < p.n; j++)",
        f"            {single}",
        "    }",
        *form.report(),
        "}",
    ]  # fmt: skip


def _nested(form: Form) -> list[str]:
    """Return the kernel for strided and broadcast arrays."""
    arrays = len(form.inputs) + len(form.outputs)
    fields = [*form.fields(), f"nest<{arrays}, {form.room}> shape;", *form.record()]
    return [
        f"struct {form.name}_strided {{ {' '.join(fields)} }};",
        f"KERNEL({form.name}_nested, {form.name}_strided)",
        "{",
        *form.unpack,
        "    int ok = 1;",
        "    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.n; "
        "i += (int64_t)gridDim.x * blockDim.x) {",
        f"        int64_t at[{arrays}];",
        "        p.shape.find(i, at);",
        f"        {form.call(*form.nested_loads())}",
        "    }",
        *form.report(),
        "}",
    ]
