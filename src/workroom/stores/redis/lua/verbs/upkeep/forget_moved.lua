-- needs: retention blobs
-- Delete what remains of jobs that the archive is about to delete. Repeating this has no effect.
forget_before(args.before)
for _, job in ipairs(args.jobs) do
  if call('SET', W .. 'gone:' .. job[EXPIRED.id], '', 'NX', 'EX', args.remember) then
    call('HINCRBY', W .. 'usage:' .. job[EXPIRED.extension], job[EXPIRED.status], -1)
    forget_member(job[EXPIRED.group])
  end
  forget_replay(job[EXPIRED.id], job[EXPIRED.retry_of])
  for _, blob in ipairs(job[EXPIRED.blobs]) do
    orphan(blob)
  end
end
return reply_with(true)
