"""What is known of a run while its history grows: one fold of it, faults included."""
