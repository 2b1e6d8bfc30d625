"""How a study is run: chunks that any executor can work on, and the file that keeps what is finished."""
