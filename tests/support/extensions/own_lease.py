"""An extension by itself: all that a worker offers shares the longest lease."""

from __future__ import annotations

from support.extensions.misbehaving import Hold

OWN_LEASE = 6.0


class Brief(Hold, lease=OWN_LEASE, retries=1, on_lost="continue"):
    """`Hold`, whose worker is given up sooner than others; over an outage it continues nevertheless."""
