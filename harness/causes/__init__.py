"""Why an event happened: from its cause back to the fault, across nodes."""
