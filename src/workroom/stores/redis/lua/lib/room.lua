-- Begins what happens in the slot of a room.
local call = redis.call
local args = cmsgpack.unpack(ARGV[1])
