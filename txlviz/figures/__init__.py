"""What figures are made of: plain arrays in, plain arrays out. No torch, no Streamlit."""
