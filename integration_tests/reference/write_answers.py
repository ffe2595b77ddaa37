"""Writes PyTorch's answers to the questions of this folder, as JSON beside each: `nox -s conformance`.

Each module here asks its questions of a library that it is handed. PyTorch is asked here, once; the tests ask facula
and compare, and so need no PyTorch.
"""

from __future__ import annotations

import json
from pathlib import Path

import digits
import overlap
import promotion
import torch

if __name__ == "__main__":
    for questions in (digits, overlap, promotion):
        target = Path(__file__).with_name(f"{questions.__name__}.json")
        target.write_text(
            json.dumps({"torch": torch.__version__, "answers": questions.answers(torch)}, indent=0) + "\n"
        )
        print(f"wrote {target.name}")
