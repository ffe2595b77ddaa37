"""Training that may be killed at any time: `python examples/resumable.py FOLDER` continues at the exact sample."""

import argparse
from copy import deepcopy
from pathlib import Path

import facula
from facula import nn
from facula.utils.data import DataLoader, TensorDataset


def losses_of_epoch(network, optimizer):
    for x, y in loader:
        loss = nn.functional.cross_entropy(network(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield loss.item()


EPOCHS, PATIENCE, EVERY = 40, 3, 10  # the most epochs; epochs without progress; steps between checkpoints
parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", type=Path, help="of the checkpoints and the plot; created if it does not exist")
folder = parser.parse_args().folder
from matplotlib import pyplot  # noqa: E402  # pip install matplotlib scikit-learn; --help works without them
from sklearn.datasets import load_digits  # noqa: E402

folder.mkdir(parents=True, exist_ok=True)
latest = folder / "latest.pt"  # replaced atomically, and therefore always complete
images, classes = facula.tensor(load_digits().data).float() / 16, facula.tensor(load_digits().target)
loader = DataLoader(TensorDataset(images[:1400], classes[:1400]), batch_size=32, shuffle=True, generator=0)
facula.manual_seed(0)
network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 10))
run = facula.load(latest) if latest.exists() else {"losses": [], "validation": []}
if "rate" not in run:  # a range test: a tenth of the rate with the lowest loss, while the rate grows
    trial, found = facula.optim.AdamW((copy := deepcopy(network)).parameters(), lr=1e-5), []
    for loss in losses_of_epoch(copy, trial):
        found.append((loss, trial.param_groups[0]["lr"]))
        trial.param_groups[0]["lr"] *= 1.3
    run["rate"] = min(found)[1] / 10
optimizer = facula.optim.AdamW(network.parameters(), lr=run["rate"])
parts = {"network": network, "optimizer": optimizer, "loader": loader}
if latest.exists():
    facula.set_rng_state(run["random"])
    for name, part in parts.items():
        part.load_state_dict(run[name])
losses, validation = run["losses"], run["validation"]
while len(validation) < EPOCHS and min(validation[-PATIENCE:], default=0) <= min(validation, default=0):
    for loss in losses_of_epoch(network.train(), optimizer):
        losses.append(loss)
        if len(losses) % EVERY == 0:
            state = {name: part.state_dict() for name, part in parts.items()}
            facula.save({**run, **state, "random": facula.get_rng_state()}, latest)
    with facula.no_grad():
        validation.append(nn.functional.cross_entropy(network.eval()(images[1400:]), classes[1400:]).item())
    if validation[-1] == min(validation):
        facula.save(network.state_dict(), folder / "best.pt")
    print(f"epoch {len(validation)}: validation loss {validation[-1]:.4f}", flush=True)
pyplot.plot(range(len(losses)), losses, range(44, len(losses) + 1, 44), validation)
pyplot.savefig(folder / "losses.png")
