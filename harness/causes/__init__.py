"""Why an event happened: its causes, across nodes, down to the fault."""
