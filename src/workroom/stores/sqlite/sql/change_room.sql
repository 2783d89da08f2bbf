UPDATE rooms SET title = coalesce(:title, title), private = coalesce(:private, private)
WHERE name = :name
