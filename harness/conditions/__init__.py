"""What a script waits for, with the reason while it does not hold."""
