"""Actors: classes with `get_concurrency_info(payload)` and `execute(payload, progress_callback)`.

Register the class itself, `room.register(MediaActor, public=True)`, or serve it with
`workroom worker media:MediaActor --public`.
"""

from workroom.runtime.actors import Actor, ActorRegistry, ProgressCallback, as_extension

__all__ = ["Actor", "ActorRegistry", "ProgressCallback", "as_extension"]
