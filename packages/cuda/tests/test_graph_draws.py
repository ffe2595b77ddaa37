"""Random operators in graphs: each replay draws the numbers that eager launches would draw then."""

import gc
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pytest
from backend_helpers import get, put

import facula_cuda as cuda
from facula_cuda._driver import lib
from facula_errors.testing import raises
from facula_storage import LaunchError

SIZE = 9


class Generator(SimpleNamespace):
    """A seed and a count of numbers, as facula_tensor's generators have them."""

    def advance(self):
        self._offset += SIZE
        return self._key, self._offset - SIZE

    @property
    def state(self):
        return self._key, self._offset


@pytest.fixture
def generators(backend, monkeypatch):
    """Return two generators, which captures find."""
    found = [Generator(_key=5, _offset=0), Generator(_key=6, _offset=1000)]
    monkeypatch.setattr("facula_cuda._port.draws.generator_lists", [lambda device: found])
    return found


def draw(target, state, operator="uniform"):
    """Queue a draw into memory."""
    storage, layout = target
    plan = layout.device.backend.plan(operator, (), (layout,), ())
    plan.launch(SIZE, storage.ptr, *state, 0.0, 1.0)


def drop(x, target, state):
    plan = x[1].device.backend.plan("dropout", (x[1],), (target[1],), ())
    plan.launch(SIZE, x[0].ptr, target[0].ptr, 0.5, *state)


def target():
    return put(np.zeros(SIZE, np.float32))


def drawn(*state):
    """Return the numbers of an eager draw."""
    found = target()
    draw(found, state)
    return get(*found).tolist()


def captured(*draws):
    graph = cuda.CUDAGraph()
    with cuda.graph(graph):
        for one in draws:
            one()
    return graph


def test_replays_draw_what_eager_launches_would(generators):
    first, second, third = target(), target(), target()
    one, other = generators
    graph = captured(
        lambda: draw(first, one.advance()), lambda: draw(second, other.advance()), lambda: draw(third, one.advance())
    )
    assert one.state == (5, 0) and other.state == (6, 1000)  # nothing is drawn in the capture
    for place in range(3):
        graph.replay()
        start = 2 * SIZE * place
        assert get(*first).tolist() == drawn(5, start)
        assert get(*second).tolist() == drawn(6, 1000 + SIZE * place)
        assert get(*third).tolist() == drawn(5, start + SIZE)
    assert one.state == (5, 6 * SIZE) and other.state == (6, 1000 + 3 * SIZE)
    one._key, one._offset = 77, 3  # manual_seed
    graph.replay()
    assert get(*third).tolist() == drawn(77, 3 + SIZE)


def test_replays_that_wait_keep_their_numbers(generators):
    results, copies = target(), [target() for _ in range(3)]
    one = generators[0]
    graph = captured(lambda: draw(results, one.advance()))
    for storage, layout in copies:
        graph.replay()
        layout.device.backend.plan("copy", (layout,), (layout,), ()).launch(SIZE, results[0].ptr, storage.ptr)
    assert [get(*copy).tolist() for copy in copies] == [drawn(5, SIZE * place) for place in range(3)]


def test_a_state_that_the_block_sets_is_set_at_each_replay(generators):
    first, second = target(), target()
    one = generators[0]

    def seeded():
        draw(first, one.advance())
        one._key, one._offset = 42, 0
        draw(second, one.advance())

    graph = captured(seeded)
    for key in (5, 42):
        start = 0 if key == 5 else SIZE
        graph.replay()
        assert get(*first).tolist() == drawn(key, start) and get(*second).tolist() == drawn(42, 0)
        assert one.state == (42, SIZE)


def test_the_largest_seeds_and_offsets(generators):
    results = target()
    one = generators[0]
    graph = captured(lambda: draw(results, one.advance()))
    for state in ((-(1 << 63), (1 << 63) - 1), ((1 << 63) - 1, (1 << 63) - 1 + SIZE)):
        one._key, one._offset = state
        graph.replay()
        assert get(*results).tolist() == drawn(state[0], state[1] & ((1 << 63) - 1))


@pytest.mark.parametrize("is_graph", [False, True])
def test_a_backward_pass_uses_the_numbers_of_the_forward_pass(generators, is_graph):
    x, y, grad = put(np.ones(SIZE, np.float32)), target(), target()
    one, states = generators[0], []
    forward = captured(lambda: drop(x, y, states.append(one.advance()) or states[0]))
    back = captured(lambda: drop(x, grad, states[0])) if is_graph else None
    again = back.replay if back else lambda: drop(x, grad, states[0])
    with pytest.raises((cuda.CudaError, LaunchError)) as caught:
        again()
    if is_graph:
        assert "replay the graph of a forward pass before" in str(caught.value)
    masks = []
    for _ in range(3):
        forward.replay()
        again()
        masks.append(get(*y).tolist())
        assert get(*grad).tolist() == masks[-1]
    assert masks[0] != masks[1] != masks[2] and one._offset == 3 * SIZE


def test_numbers_of_a_capture_on_the_host(generators):
    from facula_cuda._port.draws import without_placeholders

    results, states = target(), []
    graph = captured(lambda: draw(results, states.append(generators[0].advance()) or states[0]))
    graph.replay()
    assert without_placeholders("uniform", (2.0, *states[0], 7)) == [2.0, 5, 0, 7]


def test_another_thread_cannot_draw_with_a_generator_of_the_capture(generators, backend):
    errors, results = [], target()

    def other():
        try:
            draw(results, generators[0].advance())
        except LaunchError as error:
            errors.append(backend.status_message(*error.args))

    def block():
        thread = Thread(target=other)
        thread.start()
        thread.join()

    captured(block, lambda: draw(results, generators[0].advance()))
    assert len(errors) == 1 and "not been replayed" in errors[0]


def test_numbers_that_the_host_used_are_refused(generators):
    with raises(RuntimeError, "CUDAGraph.capture_end", "facula.capture", value="on the host"):
        captured(generators[1].advance)
    assert generators[1].state == (6, 1000)


def test_a_graph_that_draws_is_not_part_of_another(generators):
    results = target()
    graph = captured(lambda: draw(results, generators[0].advance()))
    with raises(RuntimeError, "CUDAGraph.replay", "Capture the operators", value="random operators"):
        captured(graph.replay)
    captured(captured(lambda: None).replay)


def test_one_capture_at_a_time(generators):
    stream, other, graph = cuda.Stream(), cuda.Stream(), cuda.CUDAGraph()
    with stream:
        graph.capture_begin(capture_error_mode="relaxed")
        with other, raises(RuntimeError, "CUDAGraph.capture_begin", "End it", value="another capture"):
            cuda.CUDAGraph().capture_begin(capture_error_mode="relaxed")
        graph.capture_end()
    assert generators[0].state == (5, 0)


def test_generators_are_restored_after_an_error(generators):
    def fail():
        generators[0].advance()
        raise KeyError

    with pytest.raises(KeyError):
        captured(fail)
    assert [one.state for one in generators] == [(5, 0), (6, 1000)]


def test_a_dropped_graph_returns_its_numbers(generators, monkeypatch):
    results, released = target(), []
    graph = captured(lambda: draw(results, generators[0].advance()))
    number = graph._draws._drawing[0][0]
    release = lib.facula_cuda_release_draw
    monkeypatch.setattr("facula_cuda._port.draws.lib", SimpleNamespace(facula_cuda_release_draw=released.append))
    graph.reset()
    gc.collect()
    assert released == [number]
    release(number)
