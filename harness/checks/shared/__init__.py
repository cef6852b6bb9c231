"""What several families of checks read in a history."""
