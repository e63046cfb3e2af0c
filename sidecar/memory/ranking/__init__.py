"""Which memories answer a question: linear models over what is known of each entry and of those around it."""
