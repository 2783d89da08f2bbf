-- needs: fences blobs
local job, refusal = running_job(args.worker, args.fence)
if not job then
  return refuse(refusal[1], {refusal[2]})
end
local key = details_key(job[JOB.id])
local before = call('HGET', key, 'preview')
before = before and cmsgpack.unpack(before) or {}
replace_blob(before[3], args.blob, job[JOB.user], job[JOB.room], 0)
local version = (before[2] or 0) + 1
call('HSET', key, 'preview', cmsgpack.pack({args.kind, version, args.blob[1], args.blob[2], args.blob[3]}))
return reply_with(version)
