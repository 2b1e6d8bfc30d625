"""Before the test: how stable and how accurate a real-time hybrid simulation will be, from its partition and delays."""
