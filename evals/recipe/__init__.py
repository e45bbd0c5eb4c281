"""The recipe that Venus was built by: from raw problems and human solutions to a measured benchmark."""
