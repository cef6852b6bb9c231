"""How long things may take, in formulas over the settings: checks and scripts wait by these."""
