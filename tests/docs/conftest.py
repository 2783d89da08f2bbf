"""Chromium for the tests of this folder."""

from __future__ import annotations

from support.browser import browser, make_page, page

__all__ = ["browser", "make_page", "page"]
