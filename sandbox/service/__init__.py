"""The sandbox as an HTTP service: `POST /run`, `POST /execute` as the original Monolith had it, `GET /health`."""
