"""What the texts call broken, each story with the old behaviour and without it."""
