"""Functions and classes behind rows of `_places.txt` whose modules have no code of their own."""
