"""How long things may take, as formulas over the settings."""
