"""FineRadScore: line-by-line corrections of a candidate report, each with its clinical severity."""
