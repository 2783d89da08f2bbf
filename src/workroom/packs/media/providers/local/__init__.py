"""A provider that needs no service: it draws pictures from the hash of a prompt."""

from workroom.packs.media.providers.local.provider import LocalProvider

__all__ = ["LocalProvider"]
