"""Lookup: names and modules of the public face, resolved from a table on first use, and refusals of others."""
