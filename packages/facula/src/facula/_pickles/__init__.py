"""How objects of facula are written into PyTorch's files, and made of what such files describe.

`names` has PyTorch's names of our classes and functions, `modules` and `attributes` what instances have there,
`table` and `rows` the rows for reading, `reducing` how objects are written, `location` where storages are put.
"""

GENERATOR = "torch._C Generator"  # what files call a generator of random numbers
