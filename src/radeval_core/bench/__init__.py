"""Which metric agrees with experts, and which of two systems is better, on anyone's own data."""
