"""The rollout by share: which chats receive packs, what came of each chat, and whether packs help."""
