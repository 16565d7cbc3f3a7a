"""Statistics on per-pair values: intervals, agreement, paired tests."""
