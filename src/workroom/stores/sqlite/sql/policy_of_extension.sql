SELECT policy FROM extensions WHERE id = ?
