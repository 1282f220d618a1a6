"""The command `sesls`, and `python -m sesls`."""

from __future__ import annotations

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

from sesls import interruption


def main() -> NoReturn:
    """Run the command line and exit; see `sesls.cli.main`."""
    # A listing is over before there is garbage worth a search: looking for some at every 700 objects costs 5 ms.
    gc.set_threshold(100_000)
    interruption.prepare()
    from sesls import cli  # not above: Ctrl-C must be quiet while it is imported

    try:
        cli.main()
    except SystemExit as end:
        # Nothing is left to be done. Python would take everything apart, piece by piece, which costs 15 ms.
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(end.code if isinstance(end.code, int) else 0)


if __name__ == "__main__":
    main()
