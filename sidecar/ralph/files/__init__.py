"""What a change's loop keeps in its folder: state, history, outputs, context, lock, and the wish to stop."""
