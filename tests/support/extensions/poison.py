"""Jobs of which some always fail."""

from __future__ import annotations

import time

from workroom import Extension


class Brew(Extension, retries=5, retry_on="error"):
    poisoned: bool = False

    def run(self) -> str:
        time.sleep(0.005)
        if self.poisoned:
            raise ValueError("poisoned")
        return "brewed"
