"""Each kind of event in words for people."""
