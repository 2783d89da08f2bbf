-- needs: read requests
return cmsgpack.pack(seating_of(args.worker))
