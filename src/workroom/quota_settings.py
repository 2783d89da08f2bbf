"""Quotas of users, rooms and the whole server. Every name is `quota_KIND`, followed by what it applies to."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from pydantic_settings import BaseSettings

from workroom.domain.quotas import Kind, Quota, Quotas

_MANY = 2**62


def _quota(size: int, what: str) -> Any:
    return Field(size, ge=0, le=_MANY, description=what)


class QuotaSettings(BaseSettings):
    quota_rooms: int = _quota(200, "rooms of one user")
    quota_rooms_guest: int = _quota(20, "rooms of one guest")
    quota_rooms_total: int = _quota(100_000, "rooms of the server")

    quota_extensions: int = _quota(1000, "extensions of one user, in rooms that are not deleted")
    quota_extensions_guest: int = _quota(100, "extensions of one guest")
    quota_extensions_room: int = _quota(1000, "extensions of one room")
    quota_extensions_total: int = _quota(100_000, "extensions of the server")

    quota_workers: int = _quota(200, "connected workers of one user")
    quota_workers_guest: int = _quota(20, "connected workers of one guest")
    quota_workers_room: int = _quota(5000, "workers that serve one room")
    quota_workers_total: int = _quota(20_000, "connected workers in total")

    quota_slots: int = _quota(2000, "slots of one user's workers in total")
    quota_slots_guest: int = _quota(64, "slots of one guest's workers in total")
    quota_slots_room: int = _quota(10_000, "slots of the workers that serve one room")
    quota_slots_total: int = _quota(100_000, "slots of all workers")

    quota_jobs: int = _quota(1_000_000, "unfinished jobs of one user")
    quota_jobs_guest: int = _quota(10_000, "unfinished jobs of one guest")
    quota_jobs_room: int = _quota(2_000_000, "unfinished jobs of one room")
    quota_jobs_total: int = _quota(10_000_000, "unfinished jobs of the server")

    quota_files: int = _quota(10_000, "files of one user: in rooms, and saved by their jobs")
    quota_files_guest: int = _quota(1000, "files of one guest")
    quota_files_room: int = _quota(50_000, "files of one room, including those saved by jobs")
    quota_files_total: int = _quota(10_000_000, "files of the server")

    quota_bytes: int = _quota(100_000_000_000, "bytes in the files and previews of one user")
    quota_bytes_guest: int = _quota(2_000_000_000, "bytes in the files and previews of one guest")
    quota_bytes_room: int = _quota(500_000_000_000, "bytes in the files and previews of one room")
    quota_bytes_total: int = _quota(10_000_000_000_000, "bytes in all files and previews")

    quota_invites: int = _quota(100, "open invites of one user")
    quota_invites_guest: int = _quota(20, "open invites of one guest")
    quota_invites_room: int = _quota(100, "open invites of one room")
    quota_invites_total: int = _quota(100_000, "open invites of the server")

    quota_pairings: int = _quota(100, "open pairing codes of one user")
    quota_pairings_guest: int = _quota(20, "open pairing codes of one guest")
    quota_pairings_room: int = _quota(100, "open pairing codes of one room")
    quota_pairings_total: int = _quota(100_000, "open pairing codes of the server")

    quota_forms: int = _quota(1000, "forms whose values are kept for one user, when settings are saved")
    quota_forms_guest: int = _quota(100, "forms whose values are kept for one guest, when settings are saved")

    quota_presets: int = _quota(500, "presets that one user saved")
    quota_presets_guest: int = _quota(100, "presets that one guest saved")
    quota_presets_room: int = _quota(500, "presets that everybody in one room sees")
    quota_presets_total: int = _quota(100_000, "presets of the server")

    quota_members_room: int = _quota(1000, "members of one room")
    quota_guests_total: int = _quota(100_000, "guest accounts of the server")

    min_free_bytes: int = Field(
        500_000_000, ge=0, description="free bytes on the server's disk below which it stores nothing new"
    )
    max_invite_days: float = Field(30.0, gt=0, description="days for which an invite is valid")

    room_rate: str = Field("60/minute", description="rooms that one user may create or delete")
    chat_rate: str = Field("60/minute", description="chat messages of one user")
    preset_rate: str = Field("60/minute", description="presets that one user may save or delete")
    annotate_rate: str = Field("1000/minute", description="jobs that one user names, stars, tags or notes")
    guest_rate: str = Field("200/hour", description="new guests from one address")

    @property
    def quotas(self) -> Quotas:
        return {kind: self._quota_of(kind) for kind in Kind}

    def _quota_of(self, kind: Kind) -> Quota:
        name = f"quota_{kind}"
        return Quota(
            user=getattr(self, name, None),
            guest=getattr(self, f"{name}_guest", None),
            room=getattr(self, f"{name}_room", None),
            total=getattr(self, f"{name}_total", None),
        )
