"""Graphs in files: captures as data that any machine can read and run.

Writing: `saving.py` saves a capture, `tensor_names.py` names the program's tensors, `writer.py` converts a graph to
data, `json_values.py` writes values as JSON, and `archive.py` writes the zip. Reading: `reader.py` converts data to a
recording and checks each launch with `plan_requests.py` and `contracts/`; `loaded.py` runs it.
"""
