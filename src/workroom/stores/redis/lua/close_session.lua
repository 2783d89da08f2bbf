-- needs: sessions
close_worker(args.worker, args.reason, false)
return answer_packed(close())
