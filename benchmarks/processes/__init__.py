"""Rows of several processes or threads: loaders, queues, collective operations, threads that compute."""
