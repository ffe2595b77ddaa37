"""Vision functions: padding, interpolation, grid sampling, and pixels exchanged with channels."""
