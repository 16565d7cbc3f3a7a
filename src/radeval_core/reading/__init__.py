"""Experts read pairs of reports: cases, order per reader, a journal that loses nothing, agreement, export. No pages."""
