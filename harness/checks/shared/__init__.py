"""What checks of several families read in a history."""
