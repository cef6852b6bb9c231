"""What the texts call broken, each story told with the old behaviour and without it."""
