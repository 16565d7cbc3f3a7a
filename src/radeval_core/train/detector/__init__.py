"""Train a detector of the 36 regions of Chest ImaGenome, for `ffl_rq`."""
