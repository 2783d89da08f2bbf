-- needs: retention blobs
-- Delete what remains of jobs that the archive is about to delete. Repeating this has no effect.
local ID, EXTENSION, STATUS, RETRY_OF, BLOBS = 1, 2, 3, 4, 5

forget_before(args.before)
for _, job in ipairs(args.jobs) do
  if call('SET', W .. 'gone:' .. job[ID], '', 'NX', 'EX', args.remember) then
    call('HINCRBY', W .. 'usage:' .. job[EXTENSION], job[STATUS], -1)
  end
  forget_replay(job[ID], job[RETRY_OF])
  for _, blob in ipairs(job[BLOBS]) do
    orphan(blob)
  end
end
return reply_with(true)
