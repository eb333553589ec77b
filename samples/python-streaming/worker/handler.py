"""Worker of a queue-based endpoint. Its handler is a generator of the public worker SDK."""

import os
import time

import runpod

STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0.5"))


def countdown(job):
    """Handles a job with the input {"start": 5}. Each value that it yields is a chunk of the stream."""
    start = job["input"].get("start", 5)
    if start > 100:
        raise ValueError(f"cannot count down from {start}, because 100 is the maximum")
    for number in range(start, 0, -1):
        print(f"counting {number}")
        yield {"remaining": number}
        time.sleep(STEP_SECONDS)
    yield "Lift-off!\n"


# Without return_aggregate_stream, the output of the finished job is empty, and only the stream contains the chunks.
runpod.serverless.start({"handler": countdown, "return_aggregate_stream": True})
