"""What an operator needs: to see what the sidecar does, and to decide on the next step of the rollout."""
