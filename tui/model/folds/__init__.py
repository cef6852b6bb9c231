"""What is known at one moment, folded from the events before it."""
