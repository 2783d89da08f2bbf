-- needs: base
-- The start of every query.
local args = cmsgpack.unpack(ARGV[1])

-- A row of a reply, in the order of its layout (see layouts.py). Missing values are false.
local function row_of(layout, values)
  local row = {}
  for name, index in pairs(layout) do
    row[index] = values[name] or false
  end
  return row
end
