"""`Variable`: gradients for Python numbers and for arrays of any library, with NumPy's operators and functions.

`arrays.py` asks an array for its shape and dtype, `array_methods.py` has the methods of arrays, `variable.py` the
class, `operators.py` its operators with their rules; `functions/` declares the functions of NumPy.
"""
