-- needs: forgetting
-- Lets go of what is still here of jobs that the archive is about to forget. Each counts once, however often this is asked.
local ID, EXTENSION, STATUS, RETRY_OF, BLOBS = 1, 2, 3, 4, 5

forget_before(args.before)
for _, job in ipairs(args.jobs) do
  if call('SET', W .. 'gone:' .. job[ID], '', 'NX', 'EX', args.remember) then
    call('HINCRBY', W .. 'usage:' .. job[EXTENSION], job[STATUS], -1)
  end
  forget_replay(job[ID], job[RETRY_OF])
  for _, blob in ipairs(job[BLOBS]) do
    call('ZADD', W .. 'waste', 0, blob)
  end
end
return answer(true)
