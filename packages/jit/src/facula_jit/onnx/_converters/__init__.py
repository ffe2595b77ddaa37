"""Converters: from each operator to nodes of ONNX, by family, and the table that has them."""
