"""What the texts call broken, with the old behaviour and without it."""
