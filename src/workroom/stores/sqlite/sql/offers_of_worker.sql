SELECT extension FROM offers WHERE worker = ?
