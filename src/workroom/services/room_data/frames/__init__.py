"""Frames: pieces are uploaded, edits make new indexes of them, and readers get messages."""
