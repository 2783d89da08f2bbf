-- needs: base
-- The start of every query.
local args = cmsgpack.unpack(ARGV[1])
