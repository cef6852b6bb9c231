"""The guarantees, one a file; `registry` knows them all.

A check is a pure function over a recorded history: it serves a live run, a simulated one, a replay and a Spark job."""
