-- needs: fences rooms rules/locks
-- The locks of a room. A lock is a list: see `LOCK`. `queues` are the places of those who wait, by target.
local function locks_key(room)
  return W .. 'locks:' .. room
end

local function places_key(room)
  return W .. 'places:' .. room
end

local function due_name(room, target)
  return room .. SEP .. target
end

local function is_live_lock(lock)
  if not locks.is_live(lock[LOCK.expires_us], lock[LOCK.ttl_us], NOW) then
    return false
  end
  local job = lock[LOCK.job] and find_job(lock[LOCK.job])
  return not (job and locks.ends_with_job(lock[LOCK.attempt], job[JOB.attempt], job[JOB.status]))
end

-- The lock, if it is held.
local function find_lock(room, target)
  local packed = call('HGET', locks_key(room), target)
  local lock = packed and cmsgpack.unpack(packed)
  return lock and is_live_lock(lock) and lock or nil
end

local function save_lock(room, lock)
  call('HSET', locks_key(room), lock[LOCK.target], cmsgpack.pack(lock))
  call('ZADD', W .. 'locks_due', lock[LOCK.expires_us], due_name(room, lock[LOCK.target]))
end

local function delete_lock(room, target)
  call('ZREM', W .. 'locks_due', due_name(room, target))
  return call('HDEL', locks_key(room), target) == 1
end

-- Places: {digest, user, expires_us} in order, without those that were left behind.
local function read_places(packed)
  local places = {}
  for _, place in ipairs(packed and cmsgpack.unpack(packed) or {}) do
    if locks.is_live(place[3], PLACE_US, NOW) then
      append(places, place)
    end
  end
  return places
end

local function save_places(room, target, places)
  if #places == 0 then
    call('HDEL', places_key(room), target)
  else
    call('HSET', places_key(room), target, cmsgpack.pack(places))
  end
end

local function leave_place(room, target, digest)
  local kept = {}
  for _, place in ipairs(read_places(call('HGET', places_key(room), target))) do
    if place[1] ~= digest then
      append(kept, place)
    end
  end
  save_places(room, target, kept)
end

-- The refusal of a writer who may not use the room, or whose attempt is over; else its job, if it is one.
local function check_access(room, writer)
  if is_missing(room) then
    return {'room_not_found', {room}}
  end
  if not writer.fence then
    return nil, nil
  end
  local job, refusal = running_job(nil, writer.fence)
  return not job and {refusal[1], {refusal[2]}} or nil, job
end

-- The refusal of a writer who may not change this now.
local function check_writer(room, target, writer, job)
  local lock = find_lock(room, target)
  local is_own = lock and lock[LOCK.digest] == writer.digest
  local is_job = lock and locks.is_holders_job(lock[LOCK.user], lock[LOCK.job], writer.user, job and job[JOB.id],
    job and job[JOB.parent] or nil)
  local verdict = locks.write(lock ~= nil, is_own, writer.digest, is_job)
  if verdict == 'lost' then
    return {'lock_lost', {target}}
  end
  if verdict == 'locked' then
    return {'locked', {target, lock[LOCK.user], lock[LOCK.job], lock[LOCK.message], NOW - lock[LOCK.acquired_us]}}
  end
end

-- The record that an attempt changed a room or holds a lock there: how many versions are undone if it fails.
local function edits_name(room, id, attempt)
  return table.concat({room, id, string.format('%.0f', attempt)}, SEP)
end

local function note_job(room, fence, count)
  call('HINCRBY', W .. 'job_edits', edits_name(room, fence[1], fence[2]), count)
end
