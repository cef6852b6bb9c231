"""What runs inside one node: the pure protocols, and `process`, the only part that does I/O."""
