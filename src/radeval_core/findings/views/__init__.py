"""Other people's ways to write down what a report says, each derived from our findings by a pure function."""
