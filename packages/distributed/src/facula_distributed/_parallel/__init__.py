"""Training of one model in several processes: gradients in buckets, equal parameters and buffers, uneven inputs."""
