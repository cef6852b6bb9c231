"""What every protocol stands on: its Env, requests, and commands from outside."""
