"""One module for each command of the command line, each with the Typer program `app`; `sesls.cli` names them.

A module is imported when its command is asked for, so a command costs the others nothing. What only some uses of a
command need is imported inside its function: help and completion do without.
"""
