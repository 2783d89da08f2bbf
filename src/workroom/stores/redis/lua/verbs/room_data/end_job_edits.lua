-- needs: room_edits
-- Undo what an attempt changed unless it completed, and free its locks.
local room, id, attempt = args.room, args.job, args.attempt
local name = edits_name(room, id, attempt)
local made = tonumber(call('HGET', W .. 'job_edits', name))
local job = find_job(id)
local is_current = job and job[JOB.attempt] == attempt
if not made or (is_current and job[JOB.status] == 'running') then
  return reply_with(false)
end
call('HDEL', W .. 'job_edits', name)

-- Whether somebody else holds the lock of a document.
local function is_locked(key, user)
  local lock = find_lock(room, target_of(key))
  return lock and not locks.is_holders_job(lock[LOCK.user], lock[LOCK.job], user, id, job and job[JOB.parent] or nil)
end

-- The versions of the attempt that are not undone, the newest first; how many there are; whether one is undone.
local function versions_of_attempt()
  local done, count, has_undone = {}, 0, false
  for _, number in ipairs(call('ZREVRANGE', room_key('history', room), 0, -1)) do
    local version = find_version(room, tonumber(number))
    if version[VERSION.group] == args.group then
      count = count + 1
      has_undone = has_undone or version[VERSION.state] == 'undone'
      if version[VERSION.state] == 'done' then
        append(done, version)
      end
    end
  end
  return done, count, has_undone
end

-- The changes of each document, the newest first, as {before, after, number}.
local function changes_by_key(done)
  local keys, changes = {}, {}
  for _, version in ipairs(done) do
    for _, change in ipairs(version[VERSION.changes]) do
      if not changes[change[1]] then
        append(keys, change[1])
        changes[change[1]] = {}
      end
      append(changes[change[1]], {change[2] or 0, change[3] or 0, version[VERSION.number]})
    end
  end
  table.sort(keys)
  return keys, changes
end

local undone, kept, is_trimmed = false, {}, false
local function take_back()
  local done, count, has_undone = versions_of_attempt()
  local keys, changes = changes_by_key(done)
  local wanted, counts = {}, {}
  for _, key in ipairs(keys) do
    local document = find_document(room, key)
    local current = document and document[DOCUMENT.content] or 0
    local taken = is_locked(key, done[1][VERSION.user]) and 0 or versions.rolls_back(changes[key], current)
    for index = 1, taken do
      local number = changes[key][index][3]
      counts[number] = (counts[number] or 0) + 1
    end
    if taken > 0 and changes[key][taken][1] ~= current then
      append(wanted, {key, changes[key][taken][1]})
    end
    if taken < #changes[key] then
      append(kept, key)
    end
  end
  for _, version in ipairs(done) do
    local number = version[VERSION.number]
    set_state(room, number, versions.after_rollback(#version[VERSION.changes], counts[number] or 0))
  end
  if #wanted > 0 or has_undone then
    drop_undone(room)
  end
  is_trimmed = count < made
  return wanted, done[1]
end

local stays = args.completed
if job then
  stays = is_current and job[JOB.status] == 'completed'
end
if not stays then
  local wanted, of = take_back()
  if #wanted > 0 then
    local number, made_changes = add(room, 'change', 1), {}
    local writer = {user = of[VERSION.user], fence = {id}}
    for _, each in ipairs(wanted) do
      append(made_changes, replace_content(room, each[1], number, each[2] ~= 0 and each[2], writer, ''))
    end
    undone = {
      number, 'undo', of[VERSION.number], of[VERSION.user], id, NOW, args.summary, 'done', '', '', made_changes,
    }
    record_version(room, undone)
    for _, change in ipairs(made_changes) do
      refer(room, change[1], change[2], -1)
    end
    trim_versions(room, args.limits)
  end
end

local freed = {}
for _, packed in ipairs(call('HVALS', locks_key(room))) do
  local lock = cmsgpack.unpack(packed)
  if lock[LOCK.job] == id and lock[LOCK.attempt] == attempt then
    append(freed, lock[LOCK.target])
  end
end
table.sort(freed)
for _, target in ipairs(freed) do
  delete_lock(room, target)
end
return reply_with({undone, kept, is_trimmed, freed})
