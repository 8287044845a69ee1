"""What is measured on the models: tensors in, plain arrays out."""
