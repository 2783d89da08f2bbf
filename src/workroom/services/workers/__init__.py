"""Workers: sessions, consent, dispatch, leases."""
