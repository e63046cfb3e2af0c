"""The files of a change's loop: state, history, outputs, added context, lock, stop request."""
