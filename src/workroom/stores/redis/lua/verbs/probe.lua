-- needs: step
-- Write nothing but the reply, which is refused when any write is.
return reply_with(true)
