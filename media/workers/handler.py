"""Worker of a queue endpoint: a function that handles jobs."""

import os

import serverless

GREETING = os.environ.get("GREETING", "Hello")


def handler(job):
    """
    Handles a job with the input {"name": "world"}. Its return value is the output of the job, and
    an exception fails the job.
    """
    name = job["input"].get("name", "world")
    print(f"greeting {name}")
    return {"greeting": f"{GREETING}, {name}!"}


# Slow initialization, such as loading a model, belongs before this line. The worker is
# initializing until it asks for a job.
serverless.start({"handler": handler})
