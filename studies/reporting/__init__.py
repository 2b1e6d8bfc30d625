"""What a study found, on paper: figures of a plain study, files, and a report that opens offline."""
