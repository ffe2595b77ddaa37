"""`Variable`: gradients for Python numbers and arrays of any library, with NumPy's operators and functions.

`arrays.py` reads shapes and dtypes of arrays, `array_methods.py` defines array methods, `variable.py` the class, and
`operators.py` its operators with their rules; `functions/` declares NumPy's functions.
"""
