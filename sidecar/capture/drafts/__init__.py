"""Drafts of artifacts: devlog entry, decision record, rejected approach."""
