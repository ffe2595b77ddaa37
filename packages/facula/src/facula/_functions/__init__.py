"""Functions and classes that rows of `_places.txt` give to modules without code of their own."""
