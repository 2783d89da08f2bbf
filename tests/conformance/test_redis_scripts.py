"""Every script is one that the server accepts: Lua allows 200 local variables, among other limits."""

from __future__ import annotations

import pytest
import redis

from workroom.stores.redis.scripts import SCRIPTS
from workroom.testing.valkey import Valkey


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_server_loads_each_script(valkey: Valkey, name: str) -> None:
    with redis.Redis.from_url(valkey.url) as client:
        assert client.script_load(SCRIPTS[name].text) == SCRIPTS[name].digest
