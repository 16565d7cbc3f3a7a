"""The scoring service behind `radeval serve`: metrics over HTTP for trainers and other languages."""
