"""What runs in a node: the pure protocols, and `process`, which does the I/O."""
