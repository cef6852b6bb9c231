"""Joining, heartbeats, suspicion, mastership: the services of a cluster's member."""
