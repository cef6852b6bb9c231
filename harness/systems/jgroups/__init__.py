"""JGroups: an agent in the member's process (agent/), and what it tells, as events of ours."""
