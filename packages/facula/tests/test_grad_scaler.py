"""The gradient scaler: when it scales, when it skips a step, and its state."""

import facula
from facula import float16, nn
from facula.amp import GradScaler
from facula_errors.testing import raises


def network():
    facula.manual_seed(3)
    return nn.Sequential(nn.Linear(6, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 3))


def parts(scale=8.0, **options):
    weight = facula.ones(2, requires_grad=True)
    return weight, facula.optim.SGD([weight], lr=1.0), GradScaler("cpu", init_scale=scale, **options)


def test_gradients_are_scaled_and_unscaled():
    weight, optimizer, scaler = parts()
    scaler.scale((weight * 0.25).sum()).backward()
    assert weight.grad.tolist() == [2.0, 2.0]
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [0.25, 0.25]
    assert scaler.step(optimizer) is None and weight.tolist() == [0.75, 0.75]
    scaler.update()
    assert scaler.get_scale() == 8.0
    losses = scaler.scale([facula.ones(1), facula.tensor(2.0)])
    assert [loss.item() for loss in losses] == [8.0, 16.0]


def test_the_scale_shrinks_after_non_finite_gradients_and_grows_otherwise():
    weight, optimizer, scaler = parts(growth_interval=2)
    weight.grad = facula.tensor([float("inf"), 1.0])
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [1.0, 1.0] and scaler.get_scale() == 4.0
    for scale in (4.0, 8.0, 8.0, 16.0):
        weight.grad = facula.zeros(2)
        scaler.step(optimizer)
        scaler.update()
        assert scaler.get_scale() == scale
    scaler.update(3.0)
    assert scaler.get_scale() == 3.0


def test_the_order_of_calls_is_checked():
    weight, optimizer, scaler = parts()
    weight.grad = facula.zeros(2)
    with raises(RuntimeError, "GradScaler.update", "expected a step() or unscale_() since the last update"):
        scaler.update()
    scaler.unscale_(optimizer)
    with raises(RuntimeError, "GradScaler.unscale_", "called twice"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with raises(RuntimeError, "GradScaler.unscale_", "called after step"):
        scaler.unscale_(optimizer)
    with raises(RuntimeError, "GradScaler.step", "called twice"):
        scaler.step(optimizer)
    with raises(RuntimeError, "GradScaler.step", "expected no closure"):
        scaler.step(optimizer, closure=lambda: 1)
    for wrong in ({"growth_factor": 1.0}, {"backoff_factor": 1.0}):
        with raises(ValueError, "GradScaler", f"expected {next(iter(wrong))}"):
            GradScaler("cpu", **wrong)
    half = facula.ones(1, dtype=float16)
    half.grad = facula.ones(1, dtype=float16)

    class Holder:
        param_groups = [{"params": [half]}]  # noqa: RUF012

    with raises(ValueError, "GradScaler.unscale_", "expected gradients in float32", value="float16"):
        GradScaler("cpu").unscale_(Holder())


def test_a_disabled_scaler_changes_nothing():
    weight, optimizer, scaler = parts(enabled=False)
    loss = (weight * 2).sum()
    assert scaler.scale(loss) is loss and scaler.get_scale() == 1.0 and scaler.state_dict() == {}
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    scaler.load_state_dict({})
    assert weight.tolist() == [-1.0, -1.0]


def test_the_state_round_trips(tmp_path):
    _, _, scaler = parts(scale=32.0, growth_factor=3.0)
    scaler._growth_tracker = 5
    facula.save(scaler.state_dict(), tmp_path / "scaler.safetensors")
    again = GradScaler("cpu")
    again.load_state_dict(facula.load(tmp_path / "scaler.safetensors"))
    assert again.state_dict() == scaler.state_dict() == {
        "scale": 32.0, "growth_factor": 3.0, "backoff_factor": 0.5, "growth_interval": 2000, "_growth_tracker": 5,
    }  # fmt: skip
    with raises(RuntimeError, "GradScaler.load_state_dict", "the state is empty"):
        again.load_state_dict({})
