"""The host as other processes of handrail use it: found or started on demand, kept alive by `up`."""
