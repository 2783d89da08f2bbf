-- The start of every script in the slot of a room.
local call = redis.call
local args = cmsgpack.unpack(ARGV[1])
