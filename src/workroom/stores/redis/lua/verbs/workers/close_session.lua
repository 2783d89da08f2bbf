-- needs: sessions
close_worker(args.worker, args.reason, false)
return reply_packed(build_step())
