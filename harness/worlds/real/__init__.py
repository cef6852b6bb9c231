"""Real processes, ZeroMQ, Toxiproxy, signals, and receipts of faults."""
