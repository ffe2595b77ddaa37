"""Operators declared by schemas: `Library`, `define`, `impl`; and registrations before the definition."""

import inspect

import pytest

import facula_tensor as ft
from facula_errors import ArgumentError, OperationError, UnsupportedError
from facula_errors.testing import raises
from facula_tensor import library
from facula_tensor.extend import operators_by_name
from facula_tensor.library import Library

LIBRARY = Library("schemas", "DEF")

SIGNATURES = {
    "f(Tensor x) -> Tensor": "(x)",
    "f() -> ()": "()",
    "f(Tensor self, Tensor? weight=None, *, float eps=1e-05, bool deep=False) -> (Tensor, Tensor)": (
        "(self, weight=None, *, eps=1e-05, deep=False)"
    ),
    "f(Tensor[] xs, int[2] size=[1, 2], SymInt[]? at=None, str mode='sum') -> Tensor[]": (
        "(xs, size=[1, 2], at=None, mode='sum')"
    ),
    "f(Tensor(a!) x, Tensor(b!)? out, Tensor(c -> *)[] y, Scalar k=-1) -> Tensor(a!)": "(x, out, y, k=-1)",
}


@pytest.mark.parametrize("schema", SIGNATURES)
def test_a_schema_defines_the_signature(schema):
    name = f"f{list(SIGNATURES).index(schema)}"
    assert LIBRARY.define(schema.replace("f(", f"{name}(", 1)) == name
    made = operators_by_name[f"schemas::{name}"]
    assert str(inspect.signature(made)) == SIGNATURES[schema]
    assert made.arguments.changed == ({"x", "out"} if "!" in schema else set())


REFUSED = {
    "no results": (lambda: LIBRARY.define("g(Tensor x)"), ArgumentError, "Library.define: expected a schema such as"),
    "no name": (lambda: LIBRARY.define("(Tensor x) -> Tensor"), ArgumentError, "Library.define: a name such as"),
    "an overload": (lambda: LIBRARY.define("g.out(Tensor x) -> Tensor"), ArgumentError, "Library.define: a name such"),
    "a type that is none": (lambda: LIBRARY.define("g(Tensr x) -> Tensor"), ArgumentError, "Library.define: 'Tensr x'"),
    "an argument without a type": (lambda: LIBRARY.define("g(x) -> Tensor"), ArgumentError, "Library.define: 'x'"),
    "a default that is a name": (
        lambda: LIBRARY.define("g(int x=Mean) -> Tensor"),
        ArgumentError,
        "Library.define: 'Mean'",
    ),
    "a default before none": (
        lambda: LIBRARY.define("g(int x=1, int y) -> Tensor"),
        ArgumentError,
        "Library.define: non-default",
    ),
    "a name twice": (lambda: LIBRARY.define("g(int x, int x) -> Tensor"), ArgumentError, "Library.define: duplicate"),
    "a name in use": (
        lambda: [LIBRARY.define("g(int x) -> Tensor") for _ in range(2)],
        OperationError,
        "Library.define: 'schemas::g'",
    ),
    "another kind": (lambda: Library("schemas", "ALL"), ArgumentError, "Library: DEF, IMPL, FRAGMENT; got 'ALL'"),
    "facula's own": (lambda: Library("aten", "IMPL"), UnsupportedError, "Library: use another namespace"),
    "a definition for others": (
        lambda: Library("a", "IMPL").define("f() -> Tensor"),
        OperationError,
        "Library.define: got 'IMPL'",
    ),
    "the key of gradients": (
        lambda: LIBRARY.impl("f0", abs, "AutogradCPU"),
        UnsupportedError,
        "Library.impl: got 'AutogradCPU'; use register_autograd",
    ),
    "keysets": (
        lambda: LIBRARY.impl("f0", abs, "CPU", with_keyset=True),
        UnsupportedError,
        "Library.impl: with_keyset=False",
    ),
    "no function yet": (
        lambda: operators_by_name["schemas::f1"](),
        UnsupportedError,
        "f1: for no device, and none for cpu",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_invalid_definitions_are_rejected(what):
    call, error, message = REFUSED[what]
    with raises(error, message):
        call()


def test_functions_for_devices():
    LIBRARY.define("scale(Tensor x, float by=2.0) -> Tensor")
    LIBRARY.impl("scale", lambda x, by: x * by, "CPU")
    LIBRARY.impl("scale", lambda x, by: ft.empty_like(x), "Meta")
    scale = operators_by_name["schemas::scale"]
    assert ft.equal(scale(ft.ones(2)), ft.full((2,), 2.0)) and ft.equal(scale(ft.ones(2), by=3.0), ft.full((2,), 3.0))
    assert scale(ft.ones(2, device="meta")).shape == (2,)
    LIBRARY.impl(scale, lambda x, by: x - by, "CPU")
    assert ft.equal(scale(ft.ones(2)), ft.full((2,), -1.0))


def test_a_composite_has_the_gradient_of_its_operators():
    LIBRARY.define("cube(Tensor x) -> Tensor")
    LIBRARY.impl("cube", lambda x: x**3)
    x = ft.tensor([2.0, 3.0], requires_grad=True)
    operators_by_name["schemas::cube"](x).sum().backward()
    assert ft.equal(x.grad, ft.tensor([12.0, 27.0]))


def test_functions_instead_of_a_library():
    library.define("schemas::shifted", "(Tensor x, int by) -> Tensor")

    @library.impl("schemas::shifted", "cpu")
    def shifted(x, by):
        return x + by

    library.define("schemas::negated", "(Tensor x) -> Tensor")
    library.impl("schemas::negated", "default", lambda x: -x)

    LIBRARY.define("halved(Tensor x) -> Tensor")

    @library.impl(LIBRARY, "halved", "CPU")
    def halved(x):
        return x / 2

    assert ft.equal(operators_by_name["schemas::shifted"](ft.ones(2), 2), ft.full((2,), 3.0))
    assert ft.equal(operators_by_name["schemas::negated"](ft.ones(2)), ft.full((2,), -1.0))
    assert ft.equal(operators_by_name["schemas::halved"](ft.ones(2)), ft.full((2,), 0.5)) and callable(halved)


@pytest.mark.parametrize("how", ["custom_op", "schema"])
def test_registrations_wait_for_the_definition(how):
    name = f"later::{how}"
    library.register_autograd(name, lambda ctx, grad: grad * 5)
    assert library.register_fake(name, ft.zeros_like) is ft.zeros_like
    library.register_vmap(name)(lambda info, in_dims, x: (x + 1, in_dims[0]))

    if how == "schema":
        Library("later", "FRAGMENT").define(f"{how}(Tensor x) -> Tensor")
        library.register_kernel(name, "cpu")(lambda x: x + 1)
    else:
        library.custom_op(name, lambda x: x + 1)
    made = operators_by_name[name]
    x = ft.ones(2, requires_grad=True)
    made(x).sum().backward()
    assert ft.equal(x.grad, ft.full((2,), 5.0))
    assert made(ft.ones(3, device="meta")).shape == (3,)
    assert ft.equal(ft.func.vmap(made)(ft.ones(2, 3)), ft.full((2, 3), 2.0))
