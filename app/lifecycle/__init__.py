"""Begins and ends: leases, the single window, shutdown phases, the watchdog."""
