"""Ways to have a prompt answered: a model on this machine, or one behind an API."""
