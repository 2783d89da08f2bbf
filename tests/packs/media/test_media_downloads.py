"""Results are fetched with limits, and never from inside the network."""

from __future__ import annotations

import hashlib
import socket
from pathlib import Path
from typing import Any

import pytest

from support.fake_service import Answer, Call, fake_service
from workroom.packs.media.providers import (
    AddressRefused,
    DownloadError,
    DownloadLimits,
    OutboundGuard,
    ResultRefused,
    download_media,
    host_of,
)
from workroom.packs.media.providers.media_types import ALL, sniff
from workroom.packs.media.settings import MediaSettings

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(200))
LOOPBACK = OutboundGuard(["127.0.0.1"])


def test_a_result_is_saved_under_its_own_type(tmp_path: Path) -> None:
    with fake_service(lambda call: Answer(PNG, headers={"Content-Type": "text/html"})) as service:
        found = download_media(f"{service.url}/a.exe", tmp_path, "gc_1", guard=LOOPBACK)

    assert found.path == tmp_path / "gc_1.png"
    assert found.path.read_bytes() == PNG
    assert (found.media_type, found.size) == ("image/png", len(PNG))
    assert found.sha256 == hashlib.sha256(PNG).hexdigest()


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "localhost",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.1.1",
        "100.64.0.1",
        "0.0.0.0",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::a9fe:a9fe]",
        "[2002:7f00:1::]",
        "[fe80::1]",
        "[fd00::1]",
        "[fec0::1]",
        "[::7f00:1]",
        "224.0.0.1",
        "2130706433",
    ],
)
def test_an_address_inside_the_network_is_refused_before_anything_is_sent(host: str, tmp_path: Path) -> None:
    with pytest.raises(AddressRefused):
        download_media(f"http://{host}:9/", tmp_path, "x")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "file:///etc/passwd",
        "ftp://127.0.0.1/",
        "gopher://127.0.0.1/",
        "nothing",
        "http://",
        "http://0177.0.0.1/",
    ],
)
def test_only_http_is_fetched(url: str, tmp_path: Path) -> None:
    with pytest.raises(DownloadError):
        download_media(url, tmp_path, "x")


def test_a_redirect_into_the_network_is_refused(tmp_path: Path) -> None:
    answer = Answer(b"", 302, {"Location": "http://169.254.169.254/latest/meta-data"})
    with fake_service(lambda call: answer) as service, pytest.raises(AddressRefused, match=r"169\.254"):
        download_media(f"{service.url}/a", tmp_path, "x", guard=LOOPBACK)


def test_a_name_that_resolves_into_the_network_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The resolver of the system is what is replaced here: tests have no name of their own in it."""
    resolved: list[str] = []

    def resolve(host: str, port: int, *args: Any, **options: Any) -> Any:
        resolved.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(AddressRefused):
        download_media("http://images.example/a.png", tmp_path, "x")
    assert resolved == ["images.example"]


def test_the_connection_goes_to_the_address_that_was_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that resolves to somewhere else the second time gains nothing: it is resolved once."""
    with fake_service(lambda call: Answer(PNG)) as service:
        answers = iter(["127.0.0.1", "169.254.169.254"])
        original = socket.getaddrinfo

        def resolve(host: str, port: int, *args: Any, **options: Any) -> Any:
            return original(next(answers) if host == "images.example" else host, port, *args, **options)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)
        guard = OutboundGuard(["127.0.0.0/8"])
        download_media(f"http://images.example:{service.port}/a.png", tmp_path, "x", guard=guard)
        assert service.calls[0].headers["Host"] == f"images.example:{service.port}"
        assert next(answers) == "169.254.169.254"


@pytest.mark.parametrize(
    ("answer", "match"),
    [
        (Answer(b"<svg onload=alert(1)>" + bytes(100)), "no image or video"),
        (Answer(b""), "no image or video"),
        (Answer(PNG, 404), "gone"),
        (Answer(PNG, 403), "expired"),
        (Answer(PNG, 500), "500"),
        (Answer(closes=True), "could not be fetched"),
        (Answer(PNG, length=2_000_000_000), "more than"),
        (Answer(PNG * 10, drips=True), "within"),
        (Answer(PNG, length=len(PNG) + 5), "could not be fetched"),
    ],
)
def test_what_is_no_good_result_is_refused_and_leaves_nothing(
    answer: Answer, match: str, tmp_path: Path
) -> None:
    limits = DownloadLimits(max_bytes=5_000_000, max_s=0.5)
    if answer.length == len(PNG) + 5:
        answer = Answer(PNG, length=answer.length, headers={"Connection": "close"})
    with fake_service(lambda call: answer) as service, pytest.raises(DownloadError, match=match):
        download_media(f"{service.url}/a", tmp_path, "x", guard=LOOPBACK, limits=limits)
    assert list(tmp_path.iterdir()) == []


def test_a_redirect_to_a_name_that_resolves_into_the_network_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = socket.getaddrinfo

    def resolve(host: str, port: int, *args: Any, **options: Any) -> Any:
        return original("169.254.169.254" if host == "metadata.example" else host, port, *args, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    answer = Answer(b"", 302, {"Location": "http://metadata.example/latest/meta-data"})
    with (
        fake_service(lambda call: answer) as service,
        pytest.raises(AddressRefused, match=r"'metadata\.example' is at 169\.254"),
    ):
        download_media(f"{service.url}/a", tmp_path, "x", guard=LOOPBACK)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("answer", [Answer(PNG, drips_head=True), Answer(hangs=True)], ids=["drips", "hangs"])
def test_a_head_that_never_ends_is_given_up(answer: Answer, tmp_path: Path) -> None:
    with (
        fake_service(lambda call: answer) as service,
        pytest.raises(DownloadError, match=r"within 0\.5 s"),
    ):
        download_media(f"{service.url}/a", tmp_path, "x", guard=LOOPBACK, limits=DownloadLimits(max_s=0.5))


def test_a_name_that_cannot_be_resolved_now_may_be_later(tmp_path: Path) -> None:
    with pytest.raises(DownloadError, match="cannot be resolved") as caught:
        download_media("http://name.invalid/a.png", tmp_path, "x")
    assert not isinstance(caught.value, AddressRefused)


@pytest.mark.parametrize("answer", [Answer(PNG), Answer(b"no image" * 20)], ids=["large", "text"])
def test_what_no_second_try_can_mend_is_a_refusal(tmp_path: Path, answer: Answer) -> None:
    limits = DownloadLimits(max_bytes=170)
    with fake_service(lambda call: answer) as service, pytest.raises(ResultRefused):
        download_media(f"{service.url}/a", tmp_path, "x", guard=LOOPBACK, limits=limits)


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://api.example.org/v1", "api.example.org"),
        ("http://user:pass@ComfyUI.local:8188/", "comfyui.local:8188"),
        ("http://[::1]:8188", "[::1]:8188"),
    ],
)
def test_the_host_of_a_base_url_is_an_exception(url: str, host: str) -> None:
    assert host_of(url) == host
    OutboundGuard([host_of("http://[::1]:8188")]).resolve("::1", 8188)
    with pytest.raises(AddressRefused):
        OutboundGuard([host_of("http://[::1]:8188")]).resolve("::1", 8189)


def test_configured_services_and_allowed_hosts_are_the_only_exceptions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("WORKROOM_PACK_MEDIA_COMFYUI_URL", "http://127.0.0.1:8188")
    monkeypatch.setenv("WORKROOM_OUTBOUND_ALLOW", "10.1.0.0/16, localhost")
    guard = MediaSettings().guard
    assert guard.resolve("127.0.0.1", 8188) == "127.0.0.1"
    assert guard.resolve("10.1.2.3", 80) == "10.1.2.3"
    guard.resolve("localhost", 80)
    for host, port in (("127.0.0.1", 8189), ("10.2.0.1", 80), ("169.254.169.254", 80)):
        with pytest.raises(AddressRefused):
            guard.resolve(host, port)


def test_endless_redirects_end(tmp_path: Path) -> None:
    def handle(call: Call) -> Answer:
        return Answer(b"", 302, {"Location": "/again"})

    with fake_service(handle) as service, pytest.raises(DownloadError, match="redirects too often"):
        download_media(f"{service.url}/a", tmp_path, "x", guard=LOOPBACK)
    assert len(service.calls) == 6


@pytest.mark.parametrize(
    ("head", "extension"),
    [
        (PNG, "png"),
        (b"\xff\xd8\xff\xe0" + bytes(60), "jpg"),
        (b"GIF89a" + bytes(60), "gif"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp"),
        (b"\x00\x00\x00\x20ftypavif", "avif"),
        (b"\x00\x00\x00\x20ftypisom", "mp4"),
        (b"\x00\x00\x00\x14ftypqt  ", "mov"),
        (b"\x1a\x45\xdf\xa3" + bytes(20), "webm"),
    ],
)
def test_a_type_is_known_by_its_first_bytes(head: bytes, extension: str) -> None:
    found = sniff(head)
    assert found is not None
    assert found.extension == extension
    assert found in ALL
