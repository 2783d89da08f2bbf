"""A server that speaks S3, and a bucket in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import fsspec
from moto.server import ThreadedMotoServer

_VARIABLES = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
}


@contextmanager
def s3_bucket() -> Iterator[str]:
    """The URL of a new bucket. The environment of this process leads to the server, as fsspec reads it."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    before = dict(os.environ)
    os.environ.update(
        _VARIABLES, AWS_ENDPOINT_URL=f"http://{host}:{port}", FSSPEC_S3_ENDPOINT_URL=f"http://{host}:{port}"
    )
    fsspec.config.set_conf_env(fsspec.config.conf)
    try:
        fsspec.filesystem("s3").mkdir("workroom-test")
        yield "s3://workroom-test"
    finally:
        os.environ.clear()
        os.environ.update(before)
        fsspec.config.conf.pop("s3", None)
        server.stop()
