"""What a person can ask for: faults by hand, forms, saving as a script."""
