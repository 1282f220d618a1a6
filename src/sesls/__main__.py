"""The command `sesls`, and `python -m sesls`."""

from __future__ import annotations

import gc
from typing import NoReturn

from sesls import interruption


def main() -> NoReturn:
    """Run the command line and exit; see `sesls.cli.main`."""
    # A listing is over before there is garbage worth a search: looking for some at every 700 objects costs 5 ms, and
    # once more at the end, for what ends anyway, 13 ms.
    gc.set_threshold(100_000)
    interruption.prepare()
    from sesls import cli  # not above: Ctrl-C must be quiet while it is imported

    try:
        cli.main()
    finally:
        gc.freeze()


if __name__ == "__main__":
    main()
