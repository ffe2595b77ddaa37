"""Scripts equal their functions, and can be captured if tensors decide."""

import gc
import inspect
import re
import traceback
import weakref
from itertools import product

import pytest
from jit_toys import same
from script_programs import EVERYTHING, REFUSED, Kind, positive

from facula_errors.testing import raises
from facula_jit import CaptureError, SourceError, capture, export, ignore, is_scripting, script, unused
from facula_tensor import manual_seed, ones, rand, stack, tensor
from facula_tensor.func import grad, vmap

SIGNS = list(product((1.0, -1.0), repeat=2))


def signed(number):
    manual_seed(number)
    a, b = SIGNS[number % 4]
    return rand(4) * a, rand(4) * b


@pytest.mark.parametrize("name", EVERYTHING)
def test_scripts_equal_their_functions(name):
    function = EVERYTHING[name]
    scripted = script(function)
    captured = capture(scripted, on_break="error")
    for number in (0, 3, 1, 2, 0, 1, 2, 3, 5):
        wanted = function(*signed(number))
        assert same(scripted(*signed(number)), wanted), number
        assert same(captured(*signed(number)), wanted), number
    assert "replayed" in captured.report()
    assert inspect.signature(scripted) == inspect.signature(function)
    assert (scripted.__name__, scripted.__doc__, scripted.__module__) == (name, function.__doc__, function.__module__)
    assert script(scripted) is scripted


@pytest.mark.parametrize("function", REFUSED, ids=lambda function: function.__name__)
@pytest.mark.parametrize("number", [0, 3])
def test_what_cannot_be_captured_is_named_with_its_line(function, number):
    message, line = REFUSED[function]
    scripted = script(function)
    wanted = _result(function, number)
    assert same(_result(scripted, number), wanted)
    with pytest.warns(UserWarning, match=message) as caught:
        assert same(_result(capture(scripted), number), wanted)
    line += function.__code__.co_firstlineno
    assert f"script_programs.py:{line} (" in str(caught[0].message)
    with raises(CaptureError, "capture") as refused:
        capture(scripted, on_break="error")(*signed(number))
    assert re.search(message, str(refused.value))


def test_python_changes_of_the_other_branch_are_undone():
    """Also in the recorded call, which runs both branches."""

    class Counting:
        def __init__(self):
            self.count, self.seen = 0, {}

        def __call__(self, x):
            if x.sum() > 0:
                self.count += 1
                self.seen["x"] = x
            return self.seen.get("x", x) * self.count

    plain, counted = Counting(), Counting()
    captured = capture(script(counted.__call__))
    with pytest.warns(UserWarning, match="of a Counting from outside is changed, depending on a tensor"):
        found = captured(signed(3)[0])
    assert same(found, plain(signed(3)[0]))
    for number in (0, 3, 0):
        assert same(captured(signed(number)[0]), plain(signed(number)[0]))
    assert (counted.count, *counted.seen) == (plain.count, *plain.seen) == (2, "x")


def _result(function, number):
    return function(*signed(number))


def test_gradients_flow_through_what_decided():
    w = tensor([1.0, 2.0, -1.0, 0.5]).requires_grad_()

    def loss(x, y):
        h = x * w
        if h.sum() > 0:
            part = h[1:]
            h = part.exp()
        else:
            h = w[1:] * y[1:]
        return h.sum()

    def step(x, y):
        w.grad = None
        out = loss(x, y)
        out.backward()
        return out.detach(), w.grad.clone()

    captured = capture(script(step), on_break="error")
    for number in range(8):
        assert same(captured(*signed(number)), step(*signed(number))), number


def test_inside_transforms():
    xs = stack([signed(number)[0] for number in range(4)])

    def one(x):
        if x.sum() > 0 and x[0] < 2:
            return x.exp().sum()
        while x.abs().sum() > 1:
            x = x / 2
        return (x * x).sum()

    assert same(vmap(script(one))(xs), stack([one(x) for x in xs]))
    assert same(grad(script(one))(xs[0]), grad(one)(xs[0]))


class Net:
    """An object with the interface of modules; tests of facula use those of facula_nn."""

    def __init__(self, bias):
        self.bias, self.training = bias, True

    def named_modules(self):
        return iter([("", self)])

    def children(self):
        return iter(())

    def forward(self, x):
        if x.sum() > 0:
            return x + self.bias
        return self.other(x)

    def __call__(self, x):
        return self.forward(x)

    @export
    def exported(self, x):
        if x.sum() > 0:
            x = x * 2
        return x

    def other(self, x):
        return x - self.bias if x[0] < -0.5 else x


def test_modules_share_their_tensors():
    net = Net(ones(4))
    made = script(net)
    assert isinstance(made, Net) and made.bias is net.bias and type(net) is Net and type(made) is not Net
    for name in ("__call__", "exported"):
        captured = capture(getattr(made, name), on_break="error")
        for number in range(8):
            x, _ = signed(number)
            assert same(captured(x), getattr(net, name)(x))


def test_marks():
    @ignore
    def asks(x):
        return bool(x.sum() > 0)

    @unused
    def never(x):
        return x

    def one(x):
        return x * (1 if asks(x) else 2)

    def other(x):
        return never(x) if x is not None else x

    def third(x):
        return x + 1 if is_scripting() else x

    assert script(asks) is asks and ignore(drop=True)(asks) is asks
    with pytest.warns(UserWarning, match="bool reads elements"):
        capture(script(one))(ones(2))
    assert other(ones(2)) is not None
    with raises(NotImplementedError, "script", "never is marked as unused"):
        script(other)(ones(2))
    assert third(ones(1)).tolist() == [1.0] and script(third)(ones(1)).tolist() == [2.0]
    assert not is_scripting()


def test_python_semantics_are_preserved():
    def unset(flag):
        if flag:
            value = 1
        return value

    scripted = script(unset)
    assert scripted(True) == 1
    with pytest.raises(UnboundLocalError):
        scripted(False)

    def fails(x):
        if x:
            y = 1
            return y / 0
        return 0

    with pytest.raises(ZeroDivisionError) as caught:
        script(fails)(3)
    frames = [frame for frame in traceback.extract_tb(caught.value.__traceback__) if frame.filename == __file__]
    assert frames[-1].lineno == fails.__code__.co_firstlineno + 3

    def recursive(n):
        if n == 0:
            return []
        return [n, *recursive(n - 1)]

    recursive = script(recursive)
    assert recursive(3) == [3, 2, 1]
    assert script(Kind().scale)(ones(1)).tolist() == [4.0]
    assert script(Kind) is Kind


def generator(x):
    if x:
        yield x


BAD = {
    "number": (3, TypeError, "script: a function or a module; got int"),
    "builtin": (len, TypeError, "script: defined by def"),
    "lambda": (eval("lambda x: x"), RuntimeError, "<lambda>: its source cannot be found"),
    "generator": (generator, RuntimeError, "script: `yield` cannot be captured (at ... test_script.py ... )"),
}


@pytest.mark.parametrize("name", BAD)
def test_errors(name):
    given, kind, message = BAD[name]
    with raises(kind, message):
        script(given)
    assert issubclass(SourceError, RuntimeError)


def test_scripts_are_freed():
    def make():
        held = ones(3)

        def one(x):
            if x.sum() > 0:
                x = x + held
            return x

        return one, held

    one, held = make()
    scripted = script(one)
    scripted(ones(3))
    links = [weakref.ref(held), weakref.ref(scripted)]
    del one, held, scripted
    gc.collect()
    assert [link() for link in links] == [None, None]
    assert positive(ones(1)).tolist() == [1.0]
