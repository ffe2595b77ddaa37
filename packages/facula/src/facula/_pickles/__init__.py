"""Pickling: how objects of facula are written into PyTorch's files and rebuilt from them.

`names` maps PyTorch's names to our classes and functions, `modules` and `attributes` map instances' attributes, `table`
and `rows` contain the rows for reading, `reducing` writes objects, and `location` places storages.
"""

GENERATOR = "torch._C Generator"  # the name of a random number generator in files
DATA_PARALLEL = "facula.nn.parallel DistributedDataParallel"  # which PyTorch does not load
