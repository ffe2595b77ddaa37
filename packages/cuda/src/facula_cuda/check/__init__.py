"""A check of this package on the devices of a machine: `python -m facula_cuda.check --out FOLDER`.

Each step runs in a process of its own and writes `FOLDER/STEP.json` when it ends, so that a lost device or an expired
time limit costs the results of one step only. `summary.json` has all results. `--simulate` runs the same steps on a
simulated device, where times mean nothing. Steps are in `_device_steps`, `_order_steps`, `_error_steps` and
`_tensor_steps`; the last need facula. `_runner` runs them, `_report` collects what they find.
"""
