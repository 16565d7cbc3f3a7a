"""RadFact: a report is split into phrases, and the other report entails each of them or does not."""
