"""Every script is one that the server accepts: Lua allows 200 local variables, among other limits."""

from __future__ import annotations

import pytest
import redis

from workroom.stores.redis.scripts import SCRIPTS, assemble
from workroom.testing.valkey import Valkey


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_server_loads_each_script(valkey: Valkey, name: str) -> None:
    with redis.Redis.from_url(valkey.url) as client:
        assert client.script_load(SCRIPTS[name].text) == SCRIPTS[name].digest


LINKS = """
local links = {made = 0}
local function twice(number)
  return 2 * number
end
function links.first(number)
  links.made = links.made + 1
  return twice(number)
end
local other = 5
function links.second()
  return links.first(other)
end
"""


def test_rarely_used_functions_are_created_when_one_is_used(valkey: Valkey) -> None:
    unused = assemble(
        f"{LINKS}return {{rawget(links, 'first') and 1 or 0, rawget(links, 'second') and 1 or 0}}"
    )
    used = assemble(f"{LINKS}return {{links.second(), links.first(1), links.made, links.none and 1 or 0}}")

    with redis.Redis.from_url(valkey.url) as client:
        assert client.eval(unused, 0) == [0, 0]
        assert client.eval(used, 0) == [10, 2, 2, 0]
