"""The reading room: experts read blinded pairs of reports, count errors, rate, prefer and correct."""

from radeval_core.ui.reading_room.space import serve_space, space_app

app = space_app()

if __name__ == "__main__":
    serve_space(app)
