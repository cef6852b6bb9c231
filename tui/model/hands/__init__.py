"""What a person can ask for at a screen: faults by hand, forms, saving what was done as a script."""
