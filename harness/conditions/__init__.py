"""What a script waits for, or says must always hold: each answers with the reason why it does not hold."""
