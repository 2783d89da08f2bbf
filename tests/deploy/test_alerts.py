"""Each alert of `deploy/alerts.yaml` fires for what it is about, and no other does, as `promtool` sees it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.monitoring import ALERT_NAMES, ALERTS

pytestmark = pytest.mark.full

TOOL = 'scope="room",extension="analysis/Smooth"'
HEALTHY = {
    'up{job="workroom",instance="a"}': "1x60",
    'workroom_store_up{instance="a"}': "1x60",
    f"workroom_queue_oldest_seconds{{{TOOL}}}": "5x60",
    f'workroom_queue_jobs{{{TOOL},waiting_for="ready"}}': "3x60",
    'workroom_workers{instance="a",state="idle"}': "2x60",
    'workroom_unfinished_jobs{instance="a"}': "3x60",
    f'workroom_jobs_ended_total{{{TOOL},status="completed"}}': "0+10x60",
    f'workroom_jobs_ended_total{{{TOOL},status="failed"}}': "0+1x60",
    f"workroom_breakers_open{{{TOOL}}}": "0x60",
    'workroom_commit_seconds_bucket{instance="a",le="0.1"}': "0+10x60",
    'workroom_commit_seconds_bucket{instance="a",le="1"}': "0+10x60",
    'workroom_commit_seconds_bucket{instance="a",le="+Inf"}': "0+10x60",
    'workroom_job_retries_total{instance="a"}': "0+1x60",
    'workroom_jobs_started_total{instance="a"}': "0+10x60",
}
TROUBLE = {
    "WorkroomServerDown": {'up{job="workroom",instance="a"}': "0x60"},
    "WorkroomStoreDown": {'workroom_store_up{instance="a"}': "0x60"},
    "WorkroomJobsWaitForWorkers": {f"workroom_queue_oldest_seconds{{{TOOL}}}": "1000x60"},
    "WorkroomNoWorkers": {'workroom_workers{instance="a",state="idle"}': "0x60"},
    "WorkroomManyFailures": {f'workroom_jobs_ended_total{{{TOOL},status="failed"}}': "0+20x60"},
    "WorkroomBreakerOpen": {f"workroom_breakers_open{{{TOOL}}}": "1x60"},
    "WorkroomSlowStore": {'workroom_commit_seconds_bucket{instance="a",le="0.1"}': "0x60"},
    "WorkroomManyRetries": {'workroom_job_retries_total{instance="a"}': "0+5x60"},
}


def fires_alone(folder: Path, series: dict[str, str], alert: str | None) -> None:
    """After 40 minutes with these series, this alert fires, and no other."""
    firing = [{"labels": f'{{alertname="{alert}"}}', "value": 1}] if alert else []
    test = {
        "interval": "1m",
        "input_series": [{"series": name, "values": values} for name, values in series.items()],
        "promql_expr_test": [
            {
                "expr": 'count by (alertname) (ALERTS{alertstate="firing"})',
                "eval_time": "40m",
                "exp_samples": firing,
            }
        ],
    }
    path = folder / "test.yaml"
    path.write_text(json.dumps({"rule_files": [str(ALERTS)], "tests": [test]}))  # JSON is YAML
    done = subprocess.run(
        ["promtool", "test", "rules", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_promtool_accepts_the_rules() -> None:
    done = subprocess.run(
        ["promtool", "check", "rules", str(ALERTS)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_no_alert_fires_for_a_healthy_server(tmp_path: Path) -> None:
    fires_alone(tmp_path, HEALTHY, None)


@pytest.mark.parametrize("alert", ALERT_NAMES)
def test_an_alert_fires_for_its_trouble(tmp_path: Path, alert: str) -> None:
    fires_alone(tmp_path, {**HEALTHY, **TROUBLE[alert]}, alert)
