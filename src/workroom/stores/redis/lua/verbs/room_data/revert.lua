-- needs: room_documents
-- Undo, redo or restore, as one more version.
local room, kind = args.room, args.kind
local refused, job = check_access(room, args)
if refused then
  return refuse(refused[1], refused[2])
end
local made_before = args.request ~= '' and call('HGET', room_key('requests', room), args.request)
if made_before then
  return reply_with(find_version(room, tonumber(made_before)))
end

-- The content that each document gets.
local of, wanted = nil, {}
if kind == 'restore' then
  of = find_version(room, args.to)
  if not of then
    return refuse('version_not_found', {args.to})
  end
  local contents = {}
  local later = call('ZREVRANGEBYSCORE', room_key('history', room), '+inf', '(' .. string.format('%.0f', args.to))
  for _, number in ipairs(later) do -- the newest first: the oldest change after the version counts
    for _, change in ipairs(find_version(room, tonumber(number))[VERSION.changes]) do
      contents[change[1]] = change[2]
    end
  end
  for key, content in pairs(contents) do
    if content ~= content_of(room, key) then
      append(wanted, {key, content})
    end
  end
else
  local pick = kind == 'undo' and versions.to_undo or versions.to_redo
  local number = pick(entries_of(room, args.target))
  of = number and find_version(room, number)
  for _, change in ipairs(of and of[VERSION.changes] or {}) do
    local from, to = change[3], change[2]
    if kind == 'redo' then
      from, to = to, from
    end
    if not args.target or content_of(room, change[1]) == from then -- others have not changed it since
      append(wanted, {change[1], to})
    end
  end
end
if #wanted == 0 then
  return refuse('nothing_to_revert', {kind})
end
table.sort(wanted, function(a, b) return a[1] < b[1] end)

-- Every token that was sent must hold a lock: a caller that lost one still believes it has the lock.
local held, sent = {}, {}
for _, packed in ipairs(call('HVALS', locks_key(room))) do
  local lock = cmsgpack.unpack(packed)
  held[lock[LOCK.digest]] = held[lock[LOCK.digest]] or is_live_lock(lock) -- one token may hold several locks
end
for _, digest in ipairs(args.digests) do
  sent[digest] = true
  if not held[digest] then
    return refuse('lock_lost', {target_of(wanted[1][1])})
  end
end

local more_documents, more_size = 0, 0
for _, each in ipairs(wanted) do
  local target = target_of(each[1])
  local lock = find_lock(room, target)
  local own = lock and sent[lock[LOCK.digest]] and lock[LOCK.digest] or false
  refused = refused or check_writer(room, target, {user = args.user, digest = own}, job)
  if each[1] ~= FRAMES then
    local document = find_document(room, each[1])
    more_documents = more_documents + (each[2] and 1 or 0) - (document and 1 or 0)
    more_size = more_size - (document and document[DOCUMENT.size] or 0)
      + (each[2] and size_of_content(room, each[1], each[2]) or 0)
  end
end
refused = refused or check_data_quota(room, more_documents, more_size, args.limits)
if refused then
  return refuse(refused[1], refused[2])
end

local number, changes = add(room, 'change', 1), {}
for _, each in ipairs(wanted) do
  append(changes, replace_content(room, each[1], number, each[2], args, ''))
end
local version = {
  number, kind, of[VERSION.number], args.user, args.fence and args.fence[1] or false, NOW, of[VERSION.summary], 'done',
  args.request, '', changes,
}
record_version(room, version)
for _, change in ipairs(changes) do
  refer(room, change[1], change[2], -1)
end
local state = kind == 'undo' and versions.after_undo(of[VERSION.state]) or 'done'
if kind == 'restore' or state == 'dropped' then
  drop_undone(room)
end
if kind ~= 'restore' then
  set_state(room, of[VERSION.number], state)
  add(room, 'undone', state == 'undone' and 1 or kind == 'redo' and -1 or 0)
end
trim_versions(room, args.limits)
return reply_with(version)
