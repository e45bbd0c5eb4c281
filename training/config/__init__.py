"""What a training run is made of: the configuration file, read and checked."""
