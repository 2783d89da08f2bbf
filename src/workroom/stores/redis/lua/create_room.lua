-- needs: rooms
return answer(make_room(args.name, args.owner, args.title, args.private))
