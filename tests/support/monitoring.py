"""The files for monitoring, and scrapes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "howto" / "operate.md"
ALERTS = ROOT / "deploy" / "alerts.yaml"
DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy" / "grafana-dashboard.json").read_text())
DASHBOARD_QUERIES: list[str] = [
    target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]
]
_RULES: list[dict[str, str]] = [
    rule for group in YAML(typ="safe").load(ALERTS)["groups"] for rule in group["rules"]
]
ALERT_QUERIES = [rule["expr"] for rule in _RULES]
ALERT_NAMES = [rule["alert"] for rule in _RULES]


def scrape_configs(text: str, targets: list[int]) -> list[dict[str, Any]]:
    """Those of a page, with servers that are here in place of the ones that it names."""
    configs: list[dict[str, Any]] = YAML(typ="safe").load(text)["scrape_configs"]
    [config] = configs
    [servers] = config["static_configs"]
    assert len(servers["targets"]) == len(targets)
    servers["targets"] = [f"127.0.0.1:{target}" for target in targets]
    return configs


def scrape(port: int) -> list[Sample]:
    response = httpx.get(f"http://127.0.0.1:{port}/metrics", timeout=20)
    assert response.status_code == 200
    return samples(response.text)


def samples(text: str) -> list[Sample]:
    return [sample for family in text_string_to_metric_families(text) for sample in family.samples]


def value(found: list[Sample], name: str, **labels: str) -> float:
    """The sum of the samples of this name that have these labels."""
    return sum(each.value for each in found if each.name == name and labels.items() <= each.labels.items())


def metrics_in(query: str) -> set[str]:
    """The names of metrics in a query: those of the server and of its process."""
    return set(re.findall(r"\b(?:workroom|process)_\w+", query))
