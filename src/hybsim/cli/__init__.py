"""The command line: hybsim demo, run, compile, blocks, doctor."""
