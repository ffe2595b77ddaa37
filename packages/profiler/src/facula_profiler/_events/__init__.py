"""Events and their averages under PyTorch's names, tables, and Chrome's trace format; all computed from a `Trace`."""
