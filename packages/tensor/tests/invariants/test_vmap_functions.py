"""Arguments and results of `vmap`, its errors, and random draws in it."""

from __future__ import annotations

import traceback

import pytest

import facula_tensor as ft
import facula_tensor.functional as F
from facula_errors import FaculaError
from facula_errors.testing import raises
from facula_tensor.func import grad, vmap

X = ft.arange(6).reshape(3, 2).double()


def equal(got, wanted):
    return got.dtype is wanted.dtype and got.tolist() == wanted.tolist()


# ------------------------------------------------------------------------------------------- arguments, results
def test_trees_of_arguments_and_results():
    def function(pair, other, *, scale):
        return {"sum": pair["x"] + other[0], "rest": (pair["y"], [other[1] * scale])}

    dims = ({"x": 0, "y": None}, (1, 0))
    found = vmap(function, dims, out_dims={"sum": 1, "rest": (None, [0])})(
        {"x": X, "y": X[0]}, (X.t(), X), scale=ft.tensor([1.0, 2.0, 3.0])
    )
    assert equal(found["sum"], (X + X).t())
    assert equal(found["rest"][0], X[0])
    assert equal(found["rest"][1][0], X * ft.tensor([[1.0], [2.0], [3.0]]))


def test_a_result_that_is_the_same_for_all_is_expanded():
    assert equal(vmap(lambda x: ft.ones(2))(X), ft.ones(3, 2))
    assert equal(vmap(lambda x: ft.ones(2), out_dims=None)(X), ft.ones(2))


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7])
def test_chunks(chunk_size):
    assert equal(vmap(lambda x, y: x * y, (0, None), 1, chunk_size=chunk_size)(X, X[0]), (X * X[0]).t())


def test_an_empty_batch():
    assert vmap(lambda x: x.sin().sum())(ft.zeros(0, 3)).shape == (0,)


def test_transposes_of_zero_dimensional_elements():
    for function in (lambda x: x.transpose(0, 0), lambda x: x.transpose(-1, 0), lambda x: x.swapaxes(0, -1)):
        assert equal(vmap(function)(X[:, 0]), X[:, 0])


def test_changes_in_place_apply_to_the_batch():
    x = X.clone()

    def function(row):
        row[0] = 7
        row[1:].mul_(2)
        return row.new_zeros(2).add_(row) + ft.zeros_like(row).copy_(row)

    wanted = ft.tensor([[7.0, 2.0], [7.0, 6.0], [7.0, 10.0]], dtype=ft.float64)
    assert equal(vmap(function)(x), wanted * 2)
    assert equal(x, wanted)


def test_positions_of_each_element():
    i = ft.tensor([1, 0, -1])
    assert vmap(lambda x, i: x[i])(X, i).tolist() == [1, 2, 5]
    assert vmap(lambda x, i: x[i, 0], (None, 0))(X, i).tolist() == [2, 0, 4]
    assert vmap(lambda i: F.one_hot(i, 3))(ft.tensor([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]

    def stored(x, i):
        x = x.clone()
        x[i] = 9.0
        return x

    assert vmap(stored)(X, i).tolist() == [[0, 9], [9, 3], [4, 9]]
    with raises(IndexError, "getitem", "5 is out of range"):
        vmap(lambda x, i: x[i])(X, ft.tensor([0, 5, 0]))


def test_attributes_of_a_batched_tensor():
    seen = []
    vmap(lambda x: (seen.append(repr(x)), x)[1])(X[:1])
    assert seen[0].startswith("tensor([[0., 1.]], dtype=facula.float64, level=")


def test_data_shares_memory_and_has_no_gradient():
    batch = X.clone()
    vmap(lambda x: x.data.mul_(2) * 1)(batch)
    assert equal(batch, X * 2)
    assert equal(vmap(grad(lambda x: (x.data * x).sum()))(X), X)


TRANSFORMS = {
    "vmap": lambda f: vmap(f)(X.float()),
    "vmap of columns": lambda f: vmap(f, in_dims=1, out_dims=1)(X.float()),
    "grad": lambda f: ft.func.vjp(f, X.float())[0],
    "jvp": lambda f: ft.func.jvp(f, (X.float(),), (X.float(),))[0],
    "vmap of jvp": lambda f: vmap(lambda x: ft.func.jvp(f, (x,), (x,))[0])(X.float()),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_bits_of_each_element(name):
    def halves(x):
        return x.contiguous().view(ft.int16).to(ft.float32) + ft.nextafter(x, x + 1).repeat_interleave(2, -1)

    columns = [halves(column) for column in X.float().unbind(1)]
    wanted = ft.stack(columns, 1) if name == "vmap of columns" else halves(X.float())
    assert equal(TRANSFORMS[name](halves), wanted)
    with raises(ValueError, "view", "needs at least 1 dimension", value="a number"):
        vmap(lambda x: x.view(ft.int16))(X.float()[:, 0])


# ---------------------------------------------------------------------------------------------------- errors
LEAVES = {
    "vmap": lambda f: vmap(f)(X),
    "jvp": lambda f: ft.func.jvp(f, (X,), (X,)),
    "grad in vmap": lambda f: vmap(grad(lambda x: f(x).sum()))(X),
}


@pytest.mark.parametrize("name", LEAVES)
def test_requiring_a_gradient_inside_is_an_error(name):
    def assign(x):
        x.requires_grad = True
        return x

    for function in (lambda x: x.requires_grad_(), lambda x: (x * 2).requires_grad_(False), assign):
        with raises(RuntimeError, "requires_grad_", "inside vmap, or a function of facula.func"):
            LEAVES[name](function)
    assert equal(vmap(lambda x: ft.ones(2).double().requires_grad_() * x)(X).detach(), X)  # which no transform wraps


Y = ft.zeros(2, dtype=ft.float64)
READS = {
    "item": lambda x: x.sum().item(),
    "bool": lambda x: x if x.sum() > 0 else -x,
    "tolist": lambda x: x.tolist(),
    "numpy": lambda x: x.numpy(),
    "index": lambda x: [1, 2][x.sum().long()],
    "data": lambda x: setattr(x, "data", x),
    "nonzero": lambda x: x.nonzero(),
    "getitem": lambda x: x[x > 1],
    "equal": lambda x: ft.equal(x, x),
    "unique": lambda x: x.unique(),
    "bincount": lambda x: ft.bincount(x.long()),
    "arange": lambda x: ft.arange(x[0].long()),
    "contains": lambda x: 3 in x,
    "data_ptr": lambda x: x.data_ptr(),
}
CHANGED = {
    "add_": lambda x: Y.add_(x),
    "copy_": lambda x: Y.copy_(x),
    "setitem": lambda x: Y.__setitem__(0, x[0]),
    "masked_fill_": lambda x: Y.masked_fill_(x > 1, 1.0),
    "index_fill_": lambda x: Y.index_fill_(0, x.long().clamp(0, 1), 1.0),
}


@pytest.mark.parametrize("name", READS)
def test_reads_of_values_are_errors(name):
    with raises(FaculaError, name) as caught:
        vmap(READS[name])(X)
    lines = traceback.extract_tb(caught.value.__traceback__)
    assert lines[-1].filename == __file__, "the last line is the user's"


@pytest.mark.parametrize("name", CHANGED)
def test_changes_of_unbatched_tensors_are_errors(name):
    with raises(FaculaError, name) as caught:
        vmap(CHANGED[name])(X)
    assert traceback.extract_tb(caught.value.__traceback__)[-1].filename == __file__
    assert Y.tolist() == [0, 0]


CALLS = {
    "vmap: expected a function": (TypeError, lambda: vmap(3)),
    "vmap: expected randomness": (ValueError, lambda: vmap(ft.sin, randomness="none")),
    "vmap: chunk_size": (ValueError, lambda: vmap(ft.sin, chunk_size=0)),
    "vmap: at least one tensor": (ValueError, lambda: vmap(lambda: 1)()),
    "vmap: give it None in in_dims": (ValueError, lambda: vmap(ft.sin)(3)),
    "vmap: a dimension 2 of input 0": (ValueError, lambda: vmap(ft.sin, 2)(X)),
    "vmap: of one length; got 3, and 2": (ValueError, lambda: vmap(ft.add)(X, X[:2])),
    "vmap: in_dims to be built like": (ValueError, lambda: vmap(ft.add, (0,))(X, X)),
    "vmap: in_dims of ints and None": (TypeError, lambda: vmap(ft.sin, "0")(X)),
    "vmap: to return tensors": (TypeError, lambda: vmap(lambda x: 3)(X)),
    "vmap: out_dims from -2 to 1": (ValueError, lambda: vmap(lambda x: x, out_dims=5)(X)),
    "vmap: its out_dims is None": (ValueError, lambda: vmap(lambda x: x, out_dims=None)(X)),
    "add: out= is not supported": (NotImplementedError, lambda: vmap(lambda x: ft.add(x, x, out=ft.zeros(2)))(X)),
    "batch_norm: running statistics": (
        RuntimeError,
        lambda: vmap(lambda x: F.batch_norm(x, ft.zeros(2), ft.ones(2), training=True))(ft.ones(3, 4, 2)),
    ),
}


@pytest.mark.parametrize("message", CALLS)
def test_bad_calls(message):
    kind, call = CALLS[message]
    with raises(kind, message):
        call()


def test_a_tensor_that_escapes_the_function():
    kept = []
    vmap(lambda x: (kept.append(x), x)[1])(X)
    with raises(RuntimeError, "add", "expected no tensor of a vmap that has ended"):
        kept[0] + 1


# ---------------------------------------------------------------------------------------------------- draws
ONES = ft.ones(3, 40)
DRAWS = {
    "rand": lambda x: ft.rand(40),
    "randint": lambda x: ft.randint(0, 1000, (40,)),
    "randn_like": lambda x: ft.randn_like(x),
    "randperm": lambda x: ft.randperm(40),
    "normal_": lambda x: ft.zeros_like(x).normal_(),
    "bernoulli": lambda x: ft.bernoulli(x / 2),
    "poisson": lambda x: ft.poisson(x * 9),
    "dropout": lambda x: F.dropout(x),
    "dropout of a constant": lambda x: F.dropout(ft.ones(40)),
    "attention": lambda x: F.scaled_dot_product_attention(*[x.reshape(8, 5)] * 3, dropout_p=0.5),
}


@pytest.mark.parametrize("name", DRAWS)
def test_draws(name):
    """Draws are rejected, equal for all elements, or different for each; and the generator advances."""
    function = DRAWS[name]
    with raises(RuntimeError, "vmap", "expected no random numbers"):
        vmap(function)(ONES)
    rows = [row.tolist() for row in vmap(function, randomness="same")(ONES)]
    assert rows[0] == rows[1] == rows[2]
    rows = [row.tolist() for row in vmap(function, randomness="different")(ONES)]
    assert rows[0] != rows[1] != rows[2] != rows[0]
    assert [row.tolist() for row in vmap(function, randomness="different")(ONES)] != rows


def test_chunks_draw_the_same():
    rows = [row.tolist() for row in vmap(lambda x: ft.rand(4) + x * 0, chunk_size=2, randomness="same")(ft.ones(5))]
    assert rows == rows[:1] * 5
    rows = [
        row.tolist() for row in vmap(lambda x: ft.rand(4) + x * 0, chunk_size=2, randomness="different")(ONES[:, 0])
    ]
    assert rows[0] != rows[1] != rows[2] != rows[0]


def test_draws_of_two_levels():
    draw = vmap(vmap(lambda x: ft.rand(9), randomness="same"), randomness="different")
    rows = draw(ft.zeros(2, 2))
    assert equal(rows[:, 0], rows[:, 1])
    assert not equal(rows[0], rows[1])
