"""From names to what they stand for: files together, scopes, types, constants."""
