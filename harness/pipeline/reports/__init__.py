"""The reports of a store."""
