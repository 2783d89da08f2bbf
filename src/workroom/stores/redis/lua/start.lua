-- needs: ending holding
-- The commit point: only an accepted attempt may run code.
local function start(fence, nonce)
  local job = find_job(fence[1])
  if not job or not is_current(job, args.worker, fence) then
    return stale(job)
  end
  if job[AT.status] == 'running' and job[AT.nonce] == nonce then
    return false
  end
  if job[AT.status] ~= 'assigned' then
    return stale(job)
  end
  local extension, record = extension_of(job[AT.ext]), find_attempt(args.worker, job[AT.id], fence[2])
  if not lets_start(extension, fence[3]) then
    release(args.worker, job[AT.id], fence[2], record)
    requeue(job, 'server', 'circuit open')
    return {'circuit_open'}
  end
  local name, timeout = full_name(args.worker, job[AT.id], fence[2]), policy_value(extension, 'timeout')
  record[STARTED], record[TIMEOUT] = 1, timeout or false
  save_attempt(args.worker, job[AT.id], fence[2], record)
  later('ZREM', W .. 'unstarted', name)
  if timeout then
    call('ZADD', W .. 'limited', MONO + timeout * 1000000, name)
  end
  job[AT.nonce], job[AT.started], job[AT.tries] = nonce, NOW, job[AT.tries] + 1
  move(job, 'running', job[AT.worker], 'worker:' .. job[AT.worker])
  return false
end

read_fenced(args.worker, args.starts)
for _, each in ipairs(args.starts) do
  append(step.answers, start(each[1], each[2]))
end
return answer_packed(close())
