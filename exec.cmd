@rem Windows has no exec: where npm's start script says it, this runs the words that follow.
@%*
