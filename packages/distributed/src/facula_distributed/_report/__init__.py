"""Reports: how much of a step was compute, transfer, and waiting for which rank; and a model for more ranks."""
