"""Chromium for the tests of this folder."""

from __future__ import annotations

from browsing import browser, make_page, page

__all__ = ["browser", "make_page", "page"]
