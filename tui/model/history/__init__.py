"""The events of a run, kept so that any moment of it is at hand: store, index, filter."""
