"""How long a machine runs."""

from __future__ import annotations

from hypothesis import HealthCheck, Phase, settings

BOUNDED = settings(
    max_examples=20,
    stateful_step_count=80,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.generate, Phase.shrink),
    print_blob=False,
)
LONG = settings(BOUNDED, max_examples=600, stateful_step_count=120, derandomize=False, print_blob=True)
