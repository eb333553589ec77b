"""A worker loop without dependencies, for Python 3.8 and newer.

It takes jobs from the platform, runs them one at a time, and posts their results. The platform sets the environment
variables below, which have the names that worker SDKs use.
"""

import json
import os
import signal
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request

TAKE_URL = os.environ.get("RUNPOD_WEBHOOK_GET_JOB")
DONE_URL = os.environ.get("RUNPOD_WEBHOOK_POST_OUTPUT")
PING_URL = os.environ.get("RUNPOD_WEBHOOK_PING")
PING_SECONDS = int(os.environ.get("RUNPOD_PING_INTERVAL", "10000")) / 1000
# A platform answers a request for a job within this time, with or without a job.
TAKE_SECONDS = 90

# Attempts to post a result, 0.5 s apart. The platform can be away for a moment, such as for its update.
MAX_ATTEMPTS = 120

current_job = None
stopping = False


def serve(handler):
    """Runs handler(input) for each job until the platform ends this process."""
    if not TAKE_URL or not DONE_URL:
        sys.exit("This worker must be started by a platform, which sets its environment. Create an endpoint first.")
    signal.signal(signal.SIGTERM, stop)
    threading.Thread(target=ping, daemon=True).start()
    while not stopping:
        job = take()
        if job is not None:
            run(handler, job)


def stop(*_):
    # A running job is finished first.
    global stopping
    stopping = True
    if current_job is None:
        sys.exit(0)


def take():
    try:
        with urllib.request.urlopen(TAKE_URL + "&job_in_progress=0", timeout=TAKE_SECONDS) as response:
            return json.load(response) if response.status == 200 else None
    except (OSError, ValueError) as error:
        print(f"taking a job failed: {error}", flush=True)
        time.sleep(0.5)
        return None


def run(handler, job):
    global current_job
    current_job = job["id"]
    try:
        result = {"output": handler(job.get("input") or {})}
        # JSON has no NaN, so the platform would refuse such a result.
        body = json.dumps(result, allow_nan=False)
    except Exception as error:
        traceback.print_exc()
        body = json.dumps({"error": error_report(error)})
    try:
        post(job["id"], body)
    finally:
        current_job = None


def error_report(error):
    """Returns the error of a job in the format of worker SDKs: JSON text with the type, the message, and the traceback."""
    return json.dumps(
        {
            "error_type": str(type(error)),
            "error_message": str(error),
            "error_traceback": "".join(traceback.format_exception(type(error), error, error.__traceback__)),
        }
    )


def post(job_id, body):
    """Posts a result. Retries, because the result would otherwise be lost."""
    url = DONE_URL.replace("$ID", job_id) + "&isStream=false"
    request = urllib.request.Request(url, body.encode(), {"Content-Type": "application/json"}, method="POST")
    for _ in range(MAX_ATTEMPTS):
        try:
            with urllib.request.urlopen(request, timeout=30):
                return
        except urllib.error.HTTPError as error:
            print(f"posting for job {job_id} failed: {error}", flush=True)
            if error.code < 500:
                return
        except OSError as error:
            print(f"posting for job {job_id} failed: {error}", flush=True)
        time.sleep(0.5)


def ping():
    """Reports to the platform that this worker is alive, with its current job."""
    while PING_URL:
        url = PING_URL if current_job is None else f"{PING_URL}&job_id={current_job}"
        try:
            urllib.request.urlopen(url, timeout=10).close()
        except OSError:
            pass
        time.sleep(PING_SECONDS)
