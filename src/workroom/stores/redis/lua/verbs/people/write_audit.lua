-- needs: step
-- An entry's number is its place in the list.
local sequence = call('RPUSH', W .. 'audit', cmsgpack.pack({NOW, args.actor, args.action, args.target, args.detail}))
return reply_with({sequence, NOW})
