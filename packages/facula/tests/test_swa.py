"""Averaged models: parameters, buffers, state, and batch normalization over a loader."""

import pytest

import facula
from facula import nn
from facula.optim.swa_utils import AveragedModel, get_ema_avg_fn, get_ema_multi_avg_fn, update_bn
from facula_errors.testing import raises


def filled(model, value):
    with facula.no_grad():
        for p in model.parameters():
            p.fill_(value)
    return model


@pytest.mark.parametrize(
    ("options", "wanted"),
    [({}, 3.0), ({"avg_fn": get_ema_avg_fn(0.5)}, 3.75), ({"multi_avg_fn": get_ema_multi_avg_fn(0.5)}, 3.75)],
)
def test_parameters_are_averaged(options, wanted):
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    averaged = AveragedModel(model, **options)
    for value in (1.0, 2.0, 6.0):
        averaged.update_parameters(filled(model, value))
    for p in averaged.module.parameters():
        assert (p == wanted).all() and p.requires_grad and p.is_leaf
    assert averaged.n_averaged.item() == 3 and "module.0.weight" in averaged.state_dict()
    x = facula.ones(1, 2)
    assert averaged(x).item() == averaged.module(x).item() == pytest.approx((2 * wanted + wanted) * 3 * wanted + wanted)
    again = AveragedModel(model, **options)
    again.load_state_dict(averaged.state_dict())
    assert again.n_averaged.item() == 3 and again(x).item() == averaged(x).item()


@pytest.mark.parametrize(("use_buffers", "wanted"), [(False, 4.0), (True, 3.0)])
def test_buffers_are_copied_or_averaged(use_buffers, wanted):
    model = nn.BatchNorm1d(2)
    averaged = AveragedModel(model, use_buffers=use_buffers)
    for value in (2.0, 4.0):
        model.running_mean.fill_(value)
        averaged.update_parameters(model)
    assert averaged.module.running_mean.tolist() == [wanted, wanted]


@pytest.mark.parametrize("options", [{}, {"avg_fn": get_ema_avg_fn(0.5)}, {"multi_avg_fn": get_ema_multi_avg_fn(0.5)}])
def test_a_captured_step_averages(options):
    """Check that each replay decides whether this is the first average, without reading an element."""
    found = []
    for wrap in (lambda function: function, lambda function: facula.capture(function, on_break="error")):
        model = filled(nn.Linear(2, 2), 1.0)
        averaged = AveragedModel(model, **options)

        @wrap
        def step(x, model=model, averaged=averaged):
            with facula.no_grad():
                model.weight.add_(x)
            averaged.update_parameters(model)

        for number in range(6):
            if number == 4:
                averaged.n_averaged.zero_()
            step(facula.full((2, 2), float(number)))
        found.append([one.tolist() for one in (*averaged.parameters(), averaged.n_averaged)])
    assert found[0] == found[1] and found[0][-1] == 2


def test_invalid_arguments_are_refused():
    model = nn.Linear(2, 2)
    with raises(ValueError, "AveragedModel", "expected avg_fn or multi_avg_fn", value="both"):
        AveragedModel(model, avg_fn=get_ema_avg_fn(), multi_avg_fn=get_ema_multi_avg_fn())
    with raises(
        ValueError,
        "AveragedModel.update_parameters",
        "expected the model that was copied, with 2 parameters",
        value="one with 1",
    ):
        AveragedModel(model).update_parameters(nn.Linear(2, 2, bias=False))


def test_batch_normalization_over_a_loader():
    """Check the mean of all batches, of tensors or pairs; momentum and mode are restored."""
    model = nn.Sequential(nn.BatchNorm1d(2, momentum=0.3)).eval()
    batches = [facula.tensor([[0.0, 1.0], [2.0, 3.0]]), facula.tensor([[4.0, 5.0], [6.0, 7.0]])]
    for loader in (batches, [(batch, 1) for batch in batches]):
        update_bn(loader, model)
        assert model[0].running_mean.tolist() == [3.0, 4.0] and model[0].momentum == 0.3
        assert model[0].num_batches_tracked.item() == 2 and not model.training and not model[0].training
    update_bn(iter(()), nn.Linear(1, 1))
