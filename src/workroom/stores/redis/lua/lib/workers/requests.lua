-- needs: extensions rules/consent
-- Offers that wait for consent.
local function key_of(spec)
  return {spec[SPEC.room], spec[SPEC.category], spec[SPEC.name]}
end

local function owner_in(room, spec)
  local extension = extension_named(room, spec[SPEC.category], spec[SPEC.name])
  return extension and extension.active and extension.owner or nil
end

-- Each with its key and who may accept it besides the room's owner.
local function requests_of(worker)
  local found = {}
  for _, packed in ipairs(call('HVALS', W .. 'requests:' .. worker)) do
    local spec, is_banned = unpack(cmsgpack.unpack(packed))
    local approver = consent.approver(spec[SPEC.owner], owner_in(spec[SPEC.room], spec), owner_in('', spec), is_banned)
    append(found, {spec = spec, row = {key_of(spec), approver or false}})
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
    append(rooms, request.spec[SPEC.room])
  end
  return {offers, rooms}
end
