"""From the text of a file to logical lines: forms, continuation, include, preprocessor."""
