"""Measure how well metrics agree with experts, and compare two systems, on your own data."""
