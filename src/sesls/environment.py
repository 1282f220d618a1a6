"""What sesls knows of the machine it runs on: one value, made once; nothing else reads the environment."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from sesls import looks, paths

if TYPE_CHECKING:
    from sesls.adapters.plugins import Plugin


class Environment(msgspec.Struct, frozen=True):
    """A home directory, the variables of the process and the directory it was started in."""

    home: str
    variables: Mapping[str, str]
    cwd: str
    config_home: str
    """Where this system's desktop programs keep their data."""
    cache_home: str | None = None
    """Where this system's programs keep what they can do without, for sesls; None: nothing is kept."""
    plugins: Mapping[str, Plugin] = msgspec.field(default_factory=dict)
    """The adapters that other packages bring, by agent."""

    @classmethod
    def current(cls, *, remember: bool = True, with_plugins: bool = True) -> Environment:
        """Return the environment of this process: with a place to remember in or without, with plug-ins or without."""
        import platformdirs

        from sesls.adapters import plugins  # not above: what it remembers with needs an environment

        try:
            cwd = os.getcwd()
        except OSError:  # the directory was deleted
            cwd = os.environ.get("PWD", os.path.sep)
        environment = cls(
            home=os.path.expanduser("~"),
            variables=dict(os.environ),
            cwd=cwd,
            config_home=platformdirs.user_config_dir(roaming=sys.platform == "win32"),
            cache_home=platformdirs.user_cache_dir("sesls", appauthor=False) if remember else None,
        )
        if not with_plugins:
            return environment
        return replace(environment, plugins=plugins.found(environment.cache(), cwd))

    def cache(self) -> str | None:
        """Return where what is read may be remembered; None: nowhere."""
        return None if self.value("SESLS_NO_CACHE") else self.cache_home

    def of_home(self, home: str) -> Environment:
        """Return the environment of another home, like one on a mounted disk; for its own home, this one.

        No variable of this process moves what lies in another home, and nothing there was started in its directory.
        """
        if os.path.realpath(home) == os.path.realpath(self.home):
            return self
        config_home = os.path.join(home, ".config")
        return replace(self, home=home, variables={}, cwd=home, config_home=config_home, cache_home=self.cache())

    def without(self, name: str) -> Environment:
        """Return the same environment without a variable."""
        value = self.variables.get(name)
        variables = {one: other for one, other in self.variables.items() if one != name}
        is_moved = value is not None and os.path.normpath(value) == os.path.normpath(self.config_home)
        return replace(self, variables=variables, config_home=self.in_home(".config") if is_moved else self.config_home)

    def value(self, name: str) -> str | None:
        """Return a variable's value, or None when it is not set or blank."""
        return (self._variable(name) or "").strip() or None

    def directory(self, name: str) -> str | None:
        """Return the absolute directory that a variable names, or None when it is not set or blank."""
        value = self._variable(name) or ""
        return self.in_cwd(value) if value.strip() else None

    def _variable(self, name: str) -> str | None:
        value = self.variables.get(name)
        looks.at_variable(name, value)
        return value

    def in_cwd(self, path: str) -> str:
        """Return a path as an absolute one: a relative one is below the directory sesls was started in."""
        if os.path.isabs(path):
            return path
        looks.below_cwd(self.cwd, path)
        return os.path.join(self.cwd, path)

    def expanded(self, path: str) -> str:
        """Return a path that may begin with `~` as an absolute one."""
        return self.in_cwd(paths.expanded(path, self.home))

    def in_home(self, *parts: str) -> str:
        """Return a path below the home directory."""
        return os.path.join(self.home, *parts)

    def config_homes(self) -> tuple[str, ...]:
        """Return the directories where desktop programs keep their data, of every operating system.

        This system's own comes first. Homes get copied, mounted and shared, so the conventional places of the
        other systems are looked at too.
        """
        places = (
            self.config_home,
            self.directory("XDG_CONFIG_HOME"),
            self.in_home(".config"),
            self.in_home("Library", "Application Support"),
            self.directory("APPDATA"),
            self.in_home("AppData", "Roaming"),
        )
        return tuple(dict.fromkeys(place for place in places if place))

    def data_home(self) -> str:
        """Return the directory where programs that follow the XDG convention keep their data, on any system."""
        return self.directory("XDG_DATA_HOME") or self.in_home(".local", "share")

    def local_data_homes(self) -> tuple[str, ...]:
        """Return the directories where Windows keeps the data of packaged programs."""
        places = (self.directory("LOCALAPPDATA"), self.in_home("AppData", "Local"))
        return tuple(dict.fromkeys(place for place in places if place))
