-- needs: step
for _, blob in ipairs(args.blobs) do
  call('ZREM', W .. 'waste', blob)
end
return answer(true)
