-- needs: step
for _, blob in ipairs(args.blobs) do
  call('ZREM', W .. 'orphans', blob)
end
return reply_with(true)
