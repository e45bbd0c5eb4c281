"""One session: a sandbox, a store and a model for many jobs, and how a run goes through its stages."""
