-- needs: extensions
-- Offers that wait for consent. A spec begins with room, category and name; the owner is its seventh field.
local function key_of(spec)
  return {spec[1], spec[2], spec[3]}
end

-- The owner of the extension, in the room or in public.
local function owner_beside(spec)
  for _, room in ipairs({spec[1], ''}) do
    local extension = extension_named(room, spec[2], spec[3])
    if extension and extension.active and extension.owner ~= spec[7] then
      return extension.owner
    end
  end
  return false
end

-- Each with its key and who may accept it besides the room's owner; nobody for a banned user.
local function requests_of(worker)
  local found = {}
  for _, packed in ipairs(call('HVALS', W .. 'requests:' .. worker)) do
    local spec, is_banned = unpack(cmsgpack.unpack(packed))
    append(found, {spec = spec, row = {key_of(spec), not is_banned and owner_beside(spec)}})
  end
  return found
end

local function request_rows(worker)
  local rows = {}
  for index, request in ipairs(requests_of(worker)) do
    rows[index] = request.row
  end
  return rows
end

-- What a worker offers, and the rooms in which it waits for consent.
local function seating_of(worker)
  local offers, rooms = {}, {}
  for _, id in ipairs(call('SMEMBERS', W .. 'offers:' .. worker)) do
    append(offers, {tonumber(id), extension_of(id).room})
  end
  for _, request in ipairs(requests_of(worker)) do
    append(rooms, request.spec[1])
  end
  return {offers, rooms}
end
