"""An extension by itself: all that a worker offers shares the longest lease."""

from __future__ import annotations

from support.extensions.misbehaving import Hold


class Sleeper(Hold, lease=600):
    """`Hold`, for machines that sleep."""
