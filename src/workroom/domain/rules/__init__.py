"""What happens next, as pure total functions: facts in, verdict out.

The modules here decide about attempts and about what is due; `queue` decides which job is next, `workers` and
`room_data` decide about the rest.

The SQL stores load facts, call a rule and apply its verdict. The Lua of the Redis store mirrors these modules
file by file in `stores/redis/lua/rules`, and one table of vectors in `tests/vectors` holds both to the same
verdicts.
"""
