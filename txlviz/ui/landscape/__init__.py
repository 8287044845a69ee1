"""The Landscape page: other systems beside the Transformer-XL, on the same text."""
