"""Profiles under PyTorch's names: `profile`, `schedule`, `record_function`."""
