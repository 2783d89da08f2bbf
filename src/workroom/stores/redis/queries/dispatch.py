"""Selects the function that runs a query."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from workroom.domain.queries import (
    CountReady,
    CountUsage,
    ExtensionsOverview,
    FindAccount,
    FindAccounts,
    FindActor,
    FindArtifact,
    FindArtifacts,
    FindChat,
    FindExtension,
    FindFile,
    FindFiles,
    FindJob,
    FindJobs,
    FindJobsById,
    FindLogPosition,
    FindLookalike,
    FindOrphanedBlobs,
    FindOwners,
    FindPeople,
    FindPolicy,
    FindPreset,
    FindPresets,
    FindPreview,
    FindRevokedTokens,
    FindRoom,
    FindRooms,
    FindRunning,
    FindSeating,
    FindSubmitted,
    FindWorker,
    FindWorkers,
    JobEvents,
    JobHistory,
    JobLogs,
    LastSecrets,
    LastValues,
    NewChat,
    Query,
    RoomEvents,
    VisibleExtensions,
)
from workroom.stores.redis import directory, file_index, presets
from workroom.stores.redis.queries import events, fleet, jobs, usage
from workroom.stores.redis.reader import Reader


async def run_query(reader: Reader, query: Query[Any]) -> Any:
    return await _HANDLERS[type(query)](reader, query)


_HANDLERS: dict[type[Query[Any]], Callable[[Reader, Any], Awaitable[Any]]] = {
    FindJob: jobs.find_job,
    FindJobs: jobs.find_jobs,
    FindJobsById: jobs.find_jobs_by_id,
    FindRunning: jobs.find_running,
    LastSecrets: jobs.last_secrets,
    LastValues: jobs.last_values,
    JobHistory: events.job_history,
    JobLogs: events.job_logs,
    JobEvents: events.job_events,
    RoomEvents: events.room_events,
    FindLogPosition: events.find_log_position,
    FindChat: events.find_chat,
    NewChat: events.new_chat,
    FindExtension: fleet.find_extension,
    FindActor: fleet.find_actor,
    FindPolicy: fleet.find_policy,
    VisibleExtensions: fleet.visible_extensions,
    ExtensionsOverview: fleet.extensions_overview,
    CountReady: fleet.count_ready,
    FindWorker: fleet.find_worker,
    FindWorkers: fleet.find_workers,
    FindSeating: fleet.find_seating,
    FindRooms: directory.find_rooms,
    FindRoom: directory.find_room,
    FindAccount: directory.find_account,
    FindAccounts: directory.find_accounts,
    FindPeople: directory.find_people,
    FindLookalike: directory.find_lookalike,
    FindRevokedTokens: directory.find_revoked_tokens,
    FindArtifacts: file_index.find_artifacts,
    FindArtifact: file_index.find_artifact,
    FindPreview: file_index.find_preview,
    FindFiles: file_index.find_files,
    FindFile: file_index.find_file,
    FindOrphanedBlobs: file_index.find_orphaned_blobs,
    FindPresets: presets.find_presets,
    FindPreset: presets.find_preset,
    CountUsage: usage.count_usage,
    FindOwners: usage.find_owners,
    FindSubmitted: usage.find_submitted,
}
