"""The loop, the proposers, the workloads, the selection and the command line."""
