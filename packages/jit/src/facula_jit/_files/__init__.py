"""Graphs in files: what a capture did, as data that any machine can read and run.

`archive.py` is the zip, `plain.py` values as JSON, `names.py` what the program's tensors are called, `numbers.py` how
optimizers' numbers follow from their options, `writing.py` the whole of a graph as data. The way back: `reading.py`
makes a recording of data, with what `requests.py` and `contracts/` demand of each launch; `loaded.py` runs it.
"""
