-- needs: fences blobs
-- The fence is checked when the file becomes visible, not when its upload began.
local job, refusal = running_job(args.worker, args.fence)
if not job then
  return refuse(refusal[1], {refusal[2]})
end
local key = W .. 'artifacts:' .. job[JOB.id]
local before = call('HGET', key, args.name)
replace_blob(before and cmsgpack.unpack(before)[2], args.blob, job[JOB.user], job[JOB.room], 1)
call('HSET', key, args.name, cmsgpack.pack({
  args.media_type, args.blob[1], args.blob[2], args.blob[3], args.fence[2], NOW,
}))
return reply_with(NOW)
