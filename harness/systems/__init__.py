"""The systems whose members can be shaken: ours, and those that others wrote."""
