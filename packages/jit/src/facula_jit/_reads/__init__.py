"""What a captured function reads beside its arguments: found from the instructions that it runs, kept as guards."""
