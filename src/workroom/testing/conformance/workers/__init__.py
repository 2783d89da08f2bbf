"""Workers register, connect, renew their leases and leave."""
