"""The console command, one file a subcommand or an idea."""
