"""The machine beneath: threads, processes, workers, paths, files, logs."""
