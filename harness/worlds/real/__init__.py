"""The real world: node processes, ZeroMQ, Toxiproxy, signals, and the receipts of what they did."""
