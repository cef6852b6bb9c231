"""How a chaos script runs: its steps, the driver that runs them in either world, and the verbs."""
