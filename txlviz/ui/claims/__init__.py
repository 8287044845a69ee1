"""Claims, checked: guess the verdict, then see what was measured."""
