-- needs: codes
drop_codes(function(kind, _, room) return kind == args.kind and room == args.room end)
return reply_with(true)
