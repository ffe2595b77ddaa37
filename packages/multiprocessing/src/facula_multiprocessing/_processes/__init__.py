"""Processes: contexts, queues and pools, functions launched in processes, and supervision."""
