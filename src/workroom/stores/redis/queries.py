"""Questions are answered, each by one function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from workroom.domain.queries import (
    CountReady,
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
    FindMark,
    FindPolicy,
    FindPreview,
    FindRoom,
    FindRooms,
    FindRunning,
    FindVoid,
    FindWaste,
    FindWorker,
    FindWorkers,
    JobEvents,
    JobHistory,
    JobLogs,
    LastValues,
    NewChat,
    Query,
    RoomEvents,
    VisibleExtensions,
)
from workroom.stores.redis import directory, events, fleet, jobs, shelf
from workroom.stores.redis.asking import Asker


async def answer(asker: Asker, query: Query[Any]) -> Any:
    return await _ANSWERS[type(query)](asker, query)


_ANSWERS: dict[type[Query[Any]], Callable[[Asker, Any], Awaitable[Any]]] = {
    FindJob: jobs.find_job,
    FindJobs: jobs.find_jobs,
    FindRunning: jobs.find_running,
    LastValues: jobs.last_values,
    JobHistory: events.job_history,
    JobLogs: events.job_logs,
    JobEvents: events.job_events,
    RoomEvents: events.room_events,
    FindMark: events.find_mark,
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
    FindRooms: directory.find_rooms,
    FindRoom: directory.find_room,
    FindAccount: directory.find_account,
    FindAccounts: directory.find_accounts,
    FindVoid: directory.find_void,
    FindArtifacts: shelf.find_artifacts,
    FindArtifact: shelf.find_artifact,
    FindPreview: shelf.find_preview,
    FindFiles: shelf.find_files,
    FindFile: shelf.find_file,
    FindWaste: shelf.find_waste,
}
