"""Vision functions: padding, interpolation, grid sampling, and pixel shuffling."""
