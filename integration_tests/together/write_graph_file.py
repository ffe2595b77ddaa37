"""Write the file that a release adds to packages/jit/tests/files, and the losses of its step: run once a release.

python integration_tests/together/write_graph_file.py 0.1.0
"""

import json
import sys
from pathlib import Path

import facula
import facula.nn as nn
import facula.nn.functional as F

FOLDER = Path(__file__).resolve().parents[2] / "packages/jit/tests/files"


def main(version):
    facula.manual_seed(0)
    model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Dropout(0.1), nn.Linear(4, 2))
    optimizer = facula.optim.AdamW(model.parameters(), lr=0.05)

    @facula.capture
    def step(x, classes):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), classes)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss.detach()

    for size in (4, 6, 7, 5):
        for _ in range(3):
            step(facula.randn(size, 3), facula.randint(0, 2, (size,)))
    path = FOLDER / f"step-{version}.facula"
    facula.jit.save(step, path, batch=True)
    loaded = facula.jit.load(path)
    x, classes = facula.tensor([[1.0, 2.0, 3.0], [-1.0, 0.5, 0.25]]), facula.tensor([0, 1])
    facula.manual_seed(0)
    path.with_suffix(".json").write_text(json.dumps([loaded(x, classes).item() for _ in range(5)]) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
