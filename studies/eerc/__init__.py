"""The studies of Mosqueda, Stojadinovic and Mahin (2005): Chapters 3, 6 to 7 and 8."""
