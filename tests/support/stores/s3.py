"""A server that speaks S3, and a bucket in it."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import fsspec
from moto.server import ThreadedMotoServer
from s3fs import S3FileSystem

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
    S3FileSystem.clear_instance_cache()  # another server may have been there before
    bucket = f"workroom-{secrets.token_hex(4)}"
    try:
        fsspec.filesystem("s3").mkdir(bucket)
        yield f"s3://{bucket}"
    finally:
        os.environ.clear()
        os.environ.update(before)
        fsspec.config.conf.pop("s3", None)
        S3FileSystem.clear_instance_cache()
        server.stop()
