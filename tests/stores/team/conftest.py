from tests.team_engines import nats, postgres, s3

__all__ = ["nats", "postgres", "s3"]
