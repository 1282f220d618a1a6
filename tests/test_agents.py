"""What there is to know of an agent that another package brings."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from msgspec.structs import replace

from sesls import inventory
from sesls.adapters.plugins import Plugin
from sesls.environment import Environment
from sesls.session import Store
from tests.conftest import environment_of


def with_plugin(home: Path, adapter: object, monkeypatch: pytest.MonkeyPatch) -> Environment:
    module = ModuleType("acme_adapter")
    module.adapter = adapter  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "acme_adapter", module)
    environment = environment_of(home, {"ACME_HOME": "/x/acme"})
    return replace(environment, plugins={"acme": Plugin("acme_adapter:adapter", "sesls-acme", "1.2")})


def acme(**functions: object) -> SimpleNamespace:
    nothing = {name: lambda *_: () for name in ("stores", "find", "summarise", "unite", "hints", "details")}
    return SimpleNamespace(
        **{"LABEL": "Acme", "VERSIONS": "9", "IS_DESCRIBED": True, "FACTS": None, **nothing, **functions}
    )


def test_a_plugin_is_the_last_and_names_its_package(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = acme(stores=lambda environment: [Store(environment.value("ACME_HOME") or "/home/acme")])

    *_, last = inventory.agents(with_plugin(home, adapter, monkeypatch))[0]

    assert (last.agent, last.label, last.plugin, last.versions) == ("acme", "Acme", "sesls-acme 1.2", "9")
    assert last.moved == {"/x/acme": ("ACME_HOME",)}


def test_one_that_cannot_be_loaded_is_there_with_a_problem(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agents, problems = inventory.agents(with_plugin(home, object(), monkeypatch))

    assert (agents[-1].agent, agents[-1].versions, agents[-1].is_described) == ("acme", None, None)
    assert [one.agent for one in problems] == ["acme"]


def test_one_that_fails_without_a_variable_costs_nothing(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = acme(stores=lambda environment: [Store(environment.variables["ACME_HOME"])])

    agents, _ = inventory.agents(with_plugin(home, adapter, monkeypatch))

    assert agents[-1].moved == {}
    assert [place.path for place in agents[-1].places] == ["/x/acme"]
