"""Modes apply per thread and task, end with their block, and leave no state behind."""

import asyncio
import contextvars
import gc
import threading

import pytest
from autograd_helpers import Box

from facula_autograd import (
    detect_anomaly,
    enable_grad,
    inference_mode,
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    saved_tensors_hooks,
    set_detect_anomaly,
    set_grad_enabled,
)
from facula_autograd._modes.mode_state import Block
from facula_autograd.extend import DEFAULT, active_modes, current_mode, replace_mode
from facula_errors.testing import raises


@pytest.fixture(autouse=True)
def nothing_is_left_behind():
    yield
    assert not active_modes
    assert current_mode() is DEFAULT


def test_blocks():
    x = Box(3.0, True)
    with no_grad():
        assert active_modes
        assert not (x * x).requires_grad
        with enable_grad():
            assert (x * x).requires_grad
        assert not is_grad_enabled()
    assert (x * x).requires_grad


def test_inference_mode():
    with inference_mode():
        assert is_inference_mode_enabled()
        assert not is_grad_enabled()
        with inference_mode(False):
            assert not is_inference_mode_enabled()
            assert is_grad_enabled()
            assert current_mode() is DEFAULT
        with enable_grad():
            assert is_inference_mode_enabled()
            assert not is_grad_enabled()
            x = Box(3.0, True)
            assert not (x * x).requires_grad

    @inference_mode
    def bare():
        return is_inference_mode_enabled()

    @inference_mode()
    def called():
        return is_inference_mode_enabled()

    assert bare()
    assert called()


def test_one_object_entered_twice():
    mode = no_grad()
    with mode, mode:
        assert not is_grad_enabled()
    with mode:
        assert not is_grad_enabled()
    assert is_grad_enabled()


def test_error_in_a_block():
    with pytest.raises(ZeroDivisionError), no_grad():
        raise ZeroDivisionError
    assert is_grad_enabled()


def test_set_grad_enabled_as_function():
    set_grad_enabled(False)
    assert not is_grad_enabled()
    for _ in range(100):
        set_grad_enabled(True)
        set_grad_enabled(False)
    assert len(active_modes) == 1
    with enable_grad():
        assert is_grad_enabled()
        set_grad_enabled(False)
        assert not is_grad_enabled()
    assert not is_grad_enabled()
    with set_grad_enabled(True):
        assert is_grad_enabled()
    assert not is_grad_enabled()
    set_grad_enabled(True)
    assert is_grad_enabled()


def test_set_grad_enabled_inside_a_block_ends_with_it():
    with no_grad():
        set_grad_enabled(True)
        assert is_grad_enabled()
    assert is_grad_enabled()
    with inference_mode():
        set_grad_enabled(True)
        assert is_inference_mode_enabled()
    assert not is_inference_mode_enabled()


def test_set_grad_enabled_as_decorator():
    @set_grad_enabled(False)
    def inside():
        return is_grad_enabled()

    assert is_grad_enabled()
    assert not inside()


def test_decorators():
    @no_grad
    def bare(x):
        """Doc."""
        return is_grad_enabled(), x

    @no_grad()
    def called(x):
        return is_grad_enabled(), x

    assert bare(1) == (False, 1)
    assert called(x=2) == (False, 2)
    assert bare.__doc__ == "Doc."
    assert detect_anomaly()(lambda: current_mode().anomaly)() == (True, False)
    with raises(TypeError, "no_grad", "a function to decorate", "with block"):
        no_grad()(type("Module", (), {}))


def test_decorated_generator_switches_at_each_step():
    log = []

    @no_grad()
    def steps():
        try:
            got = yield is_grad_enabled()
            log.append((got, is_grad_enabled()))
            try:
                yield is_grad_enabled()
            except KeyError:
                log.append(is_grad_enabled())
            yield "after"
        finally:
            log.append(is_grad_enabled())
        return "result"

    g = steps()
    assert next(g) is False
    assert is_grad_enabled()
    assert g.send("hello") is False
    assert is_grad_enabled()
    assert g.throw(KeyError()) == "after"
    g.close()
    assert log == [("hello", False), False, False]

    def outer():
        return (yield from steps())

    assert list(outer()) == [False, False, "after"]
    g = steps()
    for _ in g:
        pass
    with pytest.raises(ValueError, match="mine"):
        _throw(steps())


def _throw(g):
    next(g)
    g.throw(ValueError("mine"))


def test_a_with_block_around_yield_leaves_no_state():
    def gen():
        with no_grad():
            yield 1

    a, b = gen(), gen()
    next(a)
    next(b)  # opened inside a's block
    a.close()  # closed out of order
    assert not is_grad_enabled()
    b.close()
    assert is_grad_enabled()


def test_coroutines_and_tasks():
    @no_grad()
    async def inside(gate):
        before = is_grad_enabled()
        await gate
        return before, is_grad_enabled()

    async def child(gate):
        before = is_grad_enabled()
        await gate
        return before, is_grad_enabled()

    async def main():
        loop = asyncio.get_running_loop()
        gate = loop.create_future()
        decorated = asyncio.create_task(inside(gate))
        outside = asyncio.create_task(child(gate))
        with no_grad():
            inherits = asyncio.create_task(child(gate))
            await asyncio.sleep(0)
            assert not is_grad_enabled()
        assert is_grad_enabled()
        gate.set_result(None)
        assert await decorated == (False, False)
        assert await outside == (True, True)
        # The task copied the context inside the block, and checks again when the block has ended.
        assert await inherits == (False, True)

    asyncio.run(main())


def test_child_keeps_its_own_block_after_its_parents_ended():
    async def child(gate):
        with enable_grad():
            await gate
            assert current_mode() is DEFAULT  # inference mode has ended; grad is unchanged
        with no_grad():
            await asyncio.sleep(0)
            return is_grad_enabled(), is_inference_mode_enabled()

    async def main():
        gate = asyncio.get_running_loop().create_future()
        with inference_mode():
            task = asyncio.create_task(child(gate))
            await asyncio.sleep(0)
        gate.set_result(None)
        assert await task == (False, False)

    asyncio.run(main())


def test_async_generators():
    @no_grad()
    async def decorated():
        try:
            yield is_grad_enabled()
            yield is_grad_enabled()
        finally:
            assert not is_grad_enabled()

    async def plain():
        with no_grad():
            yield is_grad_enabled()
            yield is_grad_enabled()

    async def main():
        async for value in decorated():
            assert value is False
            assert is_grad_enabled()
        g = decorated()
        assert await anext(g) is False
        await g.aclose()
        g = plain()
        assert await anext(g) is False
        # Closed in another task, hence another context, where a token would be rejected.
        await asyncio.create_task(closed(g))
        g = plain()
        assert await anext(g) is False
        other = contextvars.Context()
        await asyncio.create_task(closed_after_switching(g), context=other)
        assert is_grad_enabled()

    async def closed(g):
        with inference_mode():
            await g.aclose()
            assert is_inference_mode_enabled()

    async def closed_after_switching(g):
        set_grad_enabled(False)
        await g.aclose()
        assert not is_grad_enabled()
        set_grad_enabled(True)

    asyncio.run(main())


def test_abandoned_async_generator():
    async def plain():
        with no_grad():
            yield 1

    async def main():
        g = plain()
        await anext(g)
        del g  # the event loop closes it in a separate task

    asyncio.run(main())
    assert is_grad_enabled()


def test_threads_have_their_own_modes():
    seen = []
    with no_grad():
        thread = threading.Thread(target=lambda: seen.append(is_grad_enabled()))
        thread.start()
        thread.join()
        context = contextvars.copy_context()
    assert seen == [True]
    assert context.run(is_grad_enabled)  # copied inside the block, which has ended


def test_leaving_without_entering_is_an_error():
    mode = no_grad()
    for extra in (mode, inference_mode(), detect_anomaly()):
        with raises(RuntimeError, f"{type(extra).__name__}.__exit__", "__enter__") as caught:
            extra.__exit__(None, None, None)
        assert caught.value.__context__ is None
    with mode:
        pass
    with raises(RuntimeError, "no_grad.__exit__", "all have been left"):
        mode.__exit__(None, None, None)


def test_flags_are_true_or_false():
    for mode, bad in ((set_grad_enabled, "x"), (set_grad_enabled, 1), (inference_mode, None), (detect_anomaly, 0)):
        with raises(TypeError, mode.__name__, "expected True or False", value=repr(bad)):
            mode(bad)
    with raises(TypeError, "set_detect_anomaly", "expected True or False"):
        set_detect_anomaly("x")
    with raises(TypeError, "saved_tensors_hooks", "pack_hook to be callable"):
        saved_tensors_hooks(3, id)
    for bad in ("yes", 1, None):
        with raises(TypeError, "requires_grad_", "expected True or False"):
            Box(1.0).requires_grad_(bad)
        x = Box(1.0)
        with raises(TypeError, "requires_grad_", "expected True or False"):
            x.requires_grad = bad
        assert not x.requires_grad


def test_set_detect_anomaly():
    set_detect_anomaly(True)
    assert is_anomaly_enabled()
    assert is_anomaly_check_nan_enabled()
    with set_detect_anomaly(False):
        assert not is_anomaly_enabled()
    assert is_anomaly_enabled()
    set_detect_anomaly(False)
    assert not is_anomaly_enabled()
    assert is_anomaly_check_nan_enabled(), "as PyTorch's"
    with detect_anomaly(check_nan=False):
        assert is_anomaly_enabled()
        assert not is_anomaly_check_nan_enabled()


def test_mode_records():
    with replace_mode(autocast="bf16", level=1):
        mode = current_mode()
        assert (mode.autocast, mode.level, mode.grad) == ("bf16", 1, True)
        with no_grad():
            assert (current_mode().autocast, current_mode().grad) == ("bf16", False)
            with enable_grad(), replace_mode(autocast=None, level=0):
                assert current_mode() is DEFAULT
    with raises(AttributeError, "Mode", "immutable"):
        DEFAULT.grad = False
    with raises(TypeError, "replace_mode", "fields"):
        replace_mode(colour=1)


def test_blocks_form_no_cycles():
    """The collector never frees the reference by which the interpreter ends a block: see `Block.owner`."""

    def blocks():
        return sum([type(one) is Block for one in gc.get_objects()])

    gc.collect()
    gc.disable()
    try:
        before = blocks()
        with no_grad():
            for _ in range(5):  # each replaces the previous one
                set_grad_enabled(True)
                set_grad_enabled(False)
                set_grad_enabled(True)
            assert blocks() - before == 2
        assert blocks() == before
    finally:
        gc.enable()
