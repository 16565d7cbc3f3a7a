"""Train readers of entities for `ratescore`: token classification (IOB) or classification of spans."""
