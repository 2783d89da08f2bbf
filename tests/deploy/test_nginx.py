"""nginx from Debian, with the file in `deploy`, in front of two servers."""

from __future__ import annotations

import datetime
import hashlib
import ipaddress
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
import requests
import socketio
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from httpx_sse import connect_sse

from replicas.conftest import StartReplica, start_replica, valkey
from support.code_blocks import blocks_of
from support.command_line import workroom
from workroom.testing.guests import guest_token
from workroom.testing.processes import Process, ServerProcess, eventually
from workroom.testing.valkey import free_port

__all__ = ["start_replica", "valkey"]

ROOT = Path(__file__).parents[2]
CONFIGURATION = ROOT / "deploy" / "nginx.conf"
GPU_BOX = ROOT / "docs" / "howto" / "gpu-box.md"
UNIT = ROOT / "deploy" / "workroom.service"
SAMPLES = "support.extensions.samples"
pytestmark = pytest.mark.full


class Nginx:
    """Runs the configuration with other addresses and files in the places of its own."""

    def __init__(self, folder: Path, servers: list[ServerProcess]) -> None:
        self.certificate = _make_certificate(folder)
        self.port = free_port()
        text = CONFIGURATION.read_text()
        for before, after in {
            "10.0.0.5:8000": servers[0].url.removeprefix("http://"),
            "10.0.0.6:8000": servers[1].url.removeprefix("http://"),
            "listen 443 ssl": f"listen 127.0.0.1:{self.port} ssl",
            "/etc/ssl/workroom.crt": str(self.certificate),
            "/etc/ssl/workroom.key": str(folder / "key.pem"),
        }.items():
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        (folder / "workroom.conf").write_text(text)
        temporary = "\n".join(
            f"{kind}_temp_path {folder}/{kind};"
            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        main = f"pid {folder}/pid;\nerror_log {folder}/error.log info;\nevents {{}}\n"
        if os.geteuid() == 0:
            main = f"user root;\n{main}"
        (folder / "nginx.conf").write_text(
            f"{main}http {{\naccess_log off;\n{temporary}\ninclude {folder}/workroom.conf;\n}}\n"
        )
        program = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin")
        assert program is not None, "make test-full installs nginx"
        self._command = [program, "-p", str(folder), "-c", str(folder / "nginx.conf")]
        tested = subprocess.run([*self._command, "-t"], capture_output=True, text=True, check=False)
        assert tested.returncode == 0, tested.stderr
        self._process = Process([*self._command, "-g", "daemon off;"], {}, folder / "nginx.log")
        self._errors = folder / "error.log"
        self.trust = ssl.create_default_context(cafile=str(self.certificate))

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    def client(self, token: str = "") -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, verify=self.trust, headers=headers, timeout=60)

    def generations(self) -> int:
        """How often it has read its configuration."""
        return len(re.findall(r"start worker processes", self._errors.read_text()))

    def reload(self) -> None:
        """Start new processes for new connections; the old ones end with theirs."""
        before = self.generations()
        os.kill(self._process.pid, signal.SIGHUP)
        eventually(lambda: self.generations() > before, what="nginx has reloaded")

    def close(self) -> None:
        self._process.close()


def _make_certificate(folder: Path) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    names: list[x509.GeneralName] = [
        x509.DNSName("localhost"),
        x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
    ]
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    (folder / "key.pem").write_bytes(
        key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    path = folder / "certificate.pem"
    path.write_bytes(certificate.public_bytes(encoding))
    return path


@pytest.fixture
def servers(start_replica: StartReplica, tmp_path: Path) -> list[ServerProcess]:
    shared = {"proxies": "127.0.0.1", "hosts": "localhost", "storage": f"file://{tmp_path / 'files'}"}
    return [start_replica(name, **shared) for name in "ab"]


@pytest.fixture
def nginx(tmp_path: Path, servers: list[ServerProcess]) -> Iterator[Nginx]:
    folder = tmp_path / "nginx"
    folder.mkdir()
    with closing(Nginx(folder, servers)) as running:
        eventually(lambda: _responds(running), what="nginx responds", seconds=30)
        yield running


def _responds(nginx: Nginx) -> bool:
    with nginx.client() as http:
        try:
            return http.get("/readyz").status_code == 200
        except httpx.ConnectError:
            return False


@pytest.fixture
def worker(nginx: Nginx, tmp_path: Path) -> Iterator[Process]:
    """A worker whose socket goes through nginx, as a program that reads at its start what it trusts."""
    log = tmp_path / "worker.log"
    program = str(Path(sys.executable).parent / "workroom")
    serve = ["worker", f"{SAMPLES}:Echo", f"{SAMPLES}:Count", "--room", "demo", "--slots", "4"]
    environment = {"SSL_CERT_FILE": str(nginx.certificate), "WORKROOM_USER": "worker"}
    with closing(Process([program, *serve, "--url", nginx.url], environment, log)) as worker:
        eventually(lambda: "Serving" in log.read_text(), what="the worker serves", seconds=30)
        yield worker


def submit(http: httpx.Client, name: str, data: dict[str, Any], wait: int | None = None) -> httpx.Response:
    params = {} if wait is None else {"wait": wait}
    path = f"/api/rooms/demo/extensions/analysis/{name}/submit"
    return http.post(path, json={"data": data}, params=params)


def test_two_servers_behind_nginx_serve_sockets_streams_and_uploads_also_while_it_reloads(
    nginx: Nginx, servers: list[ServerProcess], worker: Process
) -> None:
    token = guest_token(servers[0].url, "ada")
    assert "certificate is not trusted" in workroom("rooms", "--url", nginx.url).complaint
    with nginx.client(token) as http:
        done = submit(http, "Echo", {"text": "through TLS"}, wait=30)
        assert (done.status_code, done.json()["result"]["text"]) == (200, "through TLS")

        content = os.urandom(20_000_000)
        uploaded = http.post("/api/rooms/demo/files", params={"name": "large.bin"}, content=content)
        assert uploaded.json()["sha256"] == hashlib.sha256(content).hexdigest(), uploaded.text
        assert http.get(f"/api/rooms/demo/files/{uploaded.json()['id']}").content == content

        seen = _watch_while_it_reloads(nginx, http)
        assert seen["states"][-1] == "completed"
        assert seen["progress_after_the_reload"] > 0

        _check_sockets(nginx, token)

    # A server that fails is left out; the stream and the worker find the other one.
    servers[0].kill()
    with nginx.client(token) as http:
        for number in range(10):
            done = submit(http, "Echo", {"text": str(number)}, wait=60)
            assert done.json()["result"]["text"] == str(number), done.text


def _watch_while_it_reloads(nginx: Nginx, http: httpx.Client) -> dict[str, Any]:
    """The states of a job, and its progress after nginx reloaded in the middle of its stream."""
    job = submit(http, "Count", {"to": 300, "pause": 0.02}).json()["id"]
    seen: dict[str, Any] = {"states": [], "progress_after_the_reload": 0}
    has_reloaded = False
    with connect_sse(http, "GET", f"/api/jobs/{job}/stream") as stream:
        for event in stream.iter_sse():
            if event.event == "progress" and not has_reloaded:
                nginx.reload()
                has_reloaded = True
                assert submit(http, "Echo", {"text": "new"}, wait=30).status_code == 200
            elif event.event == "progress":
                seen["progress_after_the_reload"] += 1
            elif event.event == "state":
                seen["states"].append(event.json()["status"])
                if seen["states"][-1] in ("completed", "failed", "cancelled"):
                    return seen
    raise AssertionError(f"the stream ended before its job: {seen}")


def _check_sockets(nginx: Nginx, token: str) -> None:
    session = requests.Session()
    session.verify = str(nginx.certificate)
    with socketio.SimpleClient(http_session=session, handle_sigint=False, reconnection=False) as socket:
        socket.connect(nginx.url, auth={"token": token}, transports=["websocket"])
        assert socket.transport == "websocket"
        assert "error" not in socket.call("room:join", {"room": "demo"}, timeout=20)


def test_the_address_of_a_client_is_not_what_it_states(nginx: Nginx, servers: list[ServerProcess]) -> None:
    """A wrong password is counted for the address that nginx saw, whatever the client states."""
    for server in servers:
        server.restart(guess_rate="2/minute")
    eventually(lambda: _responds(nginx), what="nginx responds", seconds=30)
    with nginx.client() as http:
        statuses = [
            http.post(
                "/api/login",
                json={"name": f"nobody-{number}", "password": "wrong"},
                headers={"X-Forwarded-For": f"203.0.113.{number}"},
            ).status_code
            for number in range(8)
        ]
    assert 429 in statuses, statuses


[WORKER_UNIT] = [block.code for block in blocks_of(GPU_BOX) if block.language == "ini"]


@pytest.mark.parametrize("text", [UNIT.read_text(), WORKER_UNIT], ids=["server", "worker"])
def test_a_unit_is_accepted_by_systemd(tmp_path: Path, text: str) -> None:
    program = Path(sys.executable).parent / "workroom"
    unit = tmp_path / "workroom.service"
    with_program, found = re.subn(
        r"^ExecStart=\S+/workroom ", f"ExecStart={program} ", text, flags=re.MULTILINE
    )
    assert found == 1
    unit.write_text(with_program)
    verified = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, check=False
    )
    assert (verified.returncode, verified.stderr.strip()) == (0, "")
