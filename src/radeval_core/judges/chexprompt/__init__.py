"""CheXprompt's question to a model, and the counts in its answer.

`system.txt` and `question.txt` are the prompt of github.com/microsoft/chexprompt (commit 8cfddecc, MIT; Zambrano Chaves
et al., Nature Communications 16, 3108, 2025), word for word. Its five examples are not public data: ours are invented.
"""
