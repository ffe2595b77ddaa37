"""Write PyTorch's answers to the questions of this folder, as JSON next to each: `nox -s conformance`.

Each module here evaluates its questions with a given library. This program evaluates them with PyTorch; the tests
evaluate them with facula and compare, and so need no PyTorch.
"""

from __future__ import annotations

import json
from pathlib import Path

import digits
import flex_attention
import modules
import network
import optimizers
import overlap
import programs
import promotion
import storage_dtypes
import torch

QUESTIONS = (digits, flex_attention, modules, network, optimizers, overlap, programs, promotion, storage_dtypes)

if __name__ == "__main__":
    for questions in QUESTIONS:
        target = Path(__file__).with_name(f"{questions.__name__}.json")
        lines = [f"{json.dumps(key)}: {json.dumps(answer)}" for key, answer in questions.answers(torch).items()]
        version = json.dumps(torch.__version__)
        target.write_text(f'{{\n"torch": {version},\n"answers": {{\n' + ",\n".join(lines) + "\n}\n}\n")
        print(f"wrote {target.name}")
