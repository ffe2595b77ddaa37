"""benchmarks.models: training steps of nine models, with facula and with PyTorch.

What it is: `python -m benchmarks.models` trains each model in several ways side by side, and compares step times,
memory and losses. Families of models: `images.py`, `transformers.py`, `recurrent.py`, `ranking.py`.
May import: facula's public names and PyTorch, and only in the processes that train (`worker.py`).
Where next: `catalog.py` for the models and their sizes, `columns.py` for the ways to train, `run.py` for the method.
"""
