-- needs: base
-- Begins every question.
local args = cmsgpack.unpack(ARGV[1])
