"""Virtual time: one seed gives one history."""
