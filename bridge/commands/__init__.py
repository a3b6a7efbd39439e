"""The subcommands of `bridge` that belong to no other room, one module each."""
