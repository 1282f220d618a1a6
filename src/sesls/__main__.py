"""`python -m sesls` is `sesls`."""

from sesls.cli import main

main()
