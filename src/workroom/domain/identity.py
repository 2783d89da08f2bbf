"""Who is asking."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    GUEST = "guest"
    USER = "user"
    ADMIN = "admin"
    RUNNER = "runner"  # the server's own worker processes


@dataclass(frozen=True, slots=True)
class Principal:
    user: str
    role: Role

    @property
    def is_admin(self) -> bool:
        return self.role is Role.ADMIN

    @property
    def is_runner(self) -> bool:
        return self.role is Role.RUNNER
