"""The pages of a reader study: one for readers, one for the owner. They talk to `radeval_core.reading`."""
