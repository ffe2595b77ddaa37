"""Converters from operators to ONNX nodes, by family, and the table that contains them."""
