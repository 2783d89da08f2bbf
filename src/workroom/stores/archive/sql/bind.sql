UPDATE belonging SET epoch = ? WHERE epoch IS NULL
