"""
A worker loop without dependencies, for Python 3.8 and newer. It takes jobs from the platform, runs
them one at a time, and posts their results. The platform sets the environment variables below,
which have the names that worker SDKs use.

The public worker SDK has the same interface. To use it, add "runpod" to requirements.txt, replace
"import serverless" by "from runpod import serverless", and delete this file.
"""

import asyncio
import inspect
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
STREAM_URL = os.environ.get("RUNPOD_WEBHOOK_POST_STREAM")
DONE_URL = os.environ.get("RUNPOD_WEBHOOK_POST_OUTPUT")
PING_URL = os.environ.get("RUNPOD_WEBHOOK_PING")
PING_SECONDS = int(os.environ.get("RUNPOD_PING_INTERVAL", "10000")) / 1000
# In a container, the key proves which worker sends a request.
HEADERS = {"Authorization": os.environ.get("RUNPOD_AI_API_KEY", ""), "Content-Type": "application/json"}

# The platform answers a request for a job within this time, also without a job.
TAKE_SECONDS = 90
# Attempts to post a result, 0.5 s apart. The platform can be away for a moment, such as for its update.
MAX_ATTEMPTS = 120
PAUSE_SECONDS = 0.5

# A proxy of the environment is for the requests of the handler.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
current = None
stopping = False


def start(config):
    """Runs config["handler"] for each job until the platform ends this process. The handler can be a coroutine or a generator."""
    if not TAKE_URL or not DONE_URL:
        sys.exit("This worker must be started by a platform, which sets its environment. Create an endpoint from its manifest.")
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    threading.Thread(target=ping, daemon=True).start()
    while not stopping:
        job = take()
        if job:
            run(config["handler"], job)


def stop(*_):
    """Stops after the running job, if any."""
    global stopping
    stopping = True
    if current is None:
        sys.exit()


def take():
    try:
        with opener.open(request(f"{TAKE_URL}&job_in_progress=0"), timeout=TAKE_SECONDS) as response:
            return json.load(response) if response.status == 200 else None
    except (OSError, ValueError) as error:
        print(f"taking a job failed: {error}")
        time.sleep(PAUSE_SECONDS)
        return None


def run(handler, job):
    global current
    current = job["id"]
    try:
        body = result(handler(job), current)
        # A result that is not JSON fails the job here.
        json.dumps(body)
    except Exception as error:
        traceback.print_exc()
        body = {"error": report(error)}
    post(DONE_URL, current, body)
    current = None


def result(output, job_id):
    """Returns the body of the result. Posts each value of a generator as a chunk of the stream."""
    if inspect.isawaitable(output):
        output = asyncio.run(awaited(output))
    if inspect.isasyncgen(output):
        output = values(output)
    if inspect.isgenerator(output):
        chunks = []
        for chunk in output:
            post(STREAM_URL, job_id, {"output": chunk}, is_stream=True)
            chunks.append(chunk)
        output = chunks
    if isinstance(output, dict) and output.get("error"):
        return {"error": output["error"]}
    return {"output": output}


async def awaited(value):
    return await value


def values(generator):
    """Returns the values of an asynchronous generator as a generator."""
    loop = asyncio.new_event_loop()
    try:
        while True:
            yield loop.run_until_complete(generator.__anext__())
    except StopAsyncIteration:
        pass
    finally:
        loop.close()


def report(error):
    """Returns the error of a job in the format of worker SDKs: JSON text with the type, the message, and the traceback."""
    return json.dumps(
        {
            "error_type": type(error).__name__,
            "error_message": str(error),
            "error_traceback": traceback.format_exc(),
        }
    )


def post(url, job_id, body, is_stream=False):
    """Posts a chunk or a result. Tries again, because it would otherwise be lost."""
    address = f"{url.replace('$ID', job_id)}&isStream={'true' if is_stream else 'false'}"
    for _ in range(MAX_ATTEMPTS):
        try:
            with opener.open(request(address, json.dumps(body).encode()), timeout=TAKE_SECONDS) as response:
                response.read()
                return
        except urllib.error.HTTPError as error:
            # Another attempt would be rejected, too.
            if error.code < 500:
                return
        except OSError as error:
            print(f"posting for job {job_id} failed: {error}")
        time.sleep(PAUSE_SECONDS)


def ping():
    """Reports to the platform that this worker is alive, with its current job."""
    while PING_URL:
        url = f"{PING_URL}&job_id={current}" if current else PING_URL
        try:
            opener.open(request(url), timeout=2 * PING_SECONDS).close()
        except OSError:
            pass
        time.sleep(PING_SECONDS)


def request(url, body=None):
    return urllib.request.Request(url, data=body, headers=HEADERS)
