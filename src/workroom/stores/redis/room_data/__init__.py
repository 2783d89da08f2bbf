"""The data of a room: its documents, records, frames and locks."""
