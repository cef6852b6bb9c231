"""What every protocol stands on: its Env, requests that want an answer, post to itself, commands from outside."""
