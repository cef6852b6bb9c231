"""How a chaos script runs: its steps, and the driver of both worlds."""
