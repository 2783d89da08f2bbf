-- needs: departures
-- Delete archived jobs. Their ids stay known for a while, so that a repeated submit finds them. A job that was
-- annotated after it was copied stays until the archive has that too.
local moved = 0
for index, id in ipairs(args.jobs) do
  local job = find_job(id)
  local annotation = call('HGET', details_key(id), 'annotation')
  local version = annotation and cjson.decode(annotation).version or 0
  if may_depart(job) and version == args.versions[index] then
    delete_job(job)
    call('SET', W .. 'moved:' .. id, '', 'EX', args.remember)
    moved = moved + 1
  end
end
return reply_with(moved)
