"""The events of a run, ready for any moment: store, index, filter."""
