"""Graphs in files: what a capture did, as data that any machine can read and run.

Writing: `saving.py` saves a capture, `tensor_names.py` names the program's tensors, `writer.py` describes a graph as
data, `json_values.py` writes values as JSON, and `archive.py` writes the zip. Reading: `reader.py` makes a recording
from data and checks each launch by `plan_requests.py` and `contracts/`; `loaded.py` runs it.
"""
