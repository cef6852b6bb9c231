"""Random faults, drawn anew by each seed."""
