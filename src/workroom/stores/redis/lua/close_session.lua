-- needs: sessions
close_worker(args.worker, args.reason, false)
return answer(close())
