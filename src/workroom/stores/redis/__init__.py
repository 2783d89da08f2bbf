"""The store for several servers: Redis or Valkey, with one Lua file for each verb."""
