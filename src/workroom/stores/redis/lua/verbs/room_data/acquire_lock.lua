-- needs: room_locks
local room, target = args.room, args.target
local refused = check_access(room, args)
if refused then
  return refuse(refused[1], refused[2])
end

local count, own = 0, 0
for _, packed in ipairs(call('HVALS', locks_key(room))) do
  local each = cmsgpack.unpack(packed)
  if is_live_lock(each) then
    count = count + 1
    own = own + (each[LOCK.user] == args.user and 1 or 0)
  end
end
local flat = call('HGETALL', places_key(room))
local places = {}
for index = 1, #flat, 2 do
  local queue = read_places(flat[index + 1])
  for _, place in ipairs(queue) do
    own = own + (place[2] == args.user and 1 or 0)
  end
  if flat[index] == target then
    places = queue
  elseif #queue == 0 then
    call('HDEL', places_key(room), flat[index])
  end
end

local lock, place, ahead = find_lock(room, target), nil, #places
for index, each in ipairs(places) do
  if each[1] == args.digest then
    place, ahead = each, index - 1
  end
end
local verdict = locks.acquire(lock ~= nil, lock and lock[LOCK.digest] == args.digest, ahead, args.waits)
local limits = args.limits
local quota = locks.exceeded(verdict, place ~= nil, count, own, #places, limits.room, limits.user, limits.waiters)
if quota then
  local limit = {locks_per_room = limits.room, locks_per_user = limits.user, waiters_per_lock = limits.waiters}
  local used = {locks_per_room = count, locks_per_user = own, waiters_per_lock = #places}
  return refuse('data_quota', {quota, limit[quota], used[quota]})
end

if verdict == 'grant' or verdict == 'keep' then
  leave_place(room, target, args.digest)
  if verdict == 'grant' then
    local fence = call('HINCRBY', W .. 'data:' .. room, 'fence', 1)
    local id, attempt = unpack(args.fence or {false, false})
    lock = {target, args.digest, args.user, id, attempt, args.message, fence, NOW, 0, 0}
    if id then
      note_job(room, args.fence, 0)
    end
  end
  lock[LOCK.expires_us], lock[LOCK.ttl_us] = NOW + args.ttl, args.ttl
  save_lock(room, lock)
  return reply_with({true, verdict == 'grant', lock, 0})
end
if verdict == 'wait' then
  if not place then
    append(places, {args.digest, args.user, NOW + PLACE_US})
  elseif locks.is_place_due(place[3], NOW) then
    place[3] = NOW + PLACE_US
  end
  save_places(room, target, places)
end
return reply_with({false, false, lock or false, ahead + (lock and 1 or 0)})
