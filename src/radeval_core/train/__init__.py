"""Train the models behind the metrics: judges, entity readers and the region detector."""
