"""How ranks of a group exchange bytes: shared memory on one machine, MPI between machines, or both."""
