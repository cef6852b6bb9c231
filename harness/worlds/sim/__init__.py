"""The simulated world: virtual time, a heap of events, direct calls. One seed gives one history."""
