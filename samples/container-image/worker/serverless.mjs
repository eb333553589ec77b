/*
 * A worker loop without dependencies, for Node 18 and newer. It takes jobs from the platform, runs them one at a time, and posts their
 * results. The platform sets the environment variables below, which have the names that worker SDKs use.
 */
const {
  RUNPOD_WEBHOOK_GET_JOB: takeUrl,
  RUNPOD_WEBHOOK_POST_OUTPUT: doneUrl,
  RUNPOD_WEBHOOK_PING: pingUrl,
  RUNPOD_PING_INTERVAL: pingInterval = '10000',
  RUNPOD_AI_API_KEY: key = '',
} = process.env;

/** In a container, the key proves which worker sends a request. */
const headers = { Authorization: key };

/** Attempts to post a result, 0.5 s apart. The platform can be away for a moment, such as for its update. */
const MAX_ATTEMPTS = 120;

/** The id and abort controller of the running job. */
let current;
let stopping = false;
/** Aborts the open requests of this worker when it stops. */
const waiting = new AbortController();

/**
 * Runs `handler(job, { progress, signal })` for each job until the platform ends this process. The signal is aborted if
 * the job is canceled.
 */
export async function serve(handler) {
  if (!takeUrl || !doneUrl) {
    console.error(
      'This worker must be started by a platform, which sets its environment. Create an endpoint from its manifest.',
    );
    process.exit(1);
  }
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  setInterval(ping, Number(pingInterval)).unref();
  void watchForStops();

  while (!stopping) {
    const job = await takeJob();
    if (job) await run(handler, job);
  }
  process.exit(0);
}

/** Stops after the running job, if any. */
function stop() {
  stopping = true;
  waiting.abort();
}

async function takeJob() {
  try {
    const response = await fetch(`${takeUrl}&job_in_progress=0`, { headers, signal: waiting.signal });
    if (response.status === 200) return await response.json();
    if (response.status !== 204) throw new Error(`the platform answered ${response.status}`);
  } catch (error) {
    if (stopping) return undefined;
    console.error(`taking a job failed: ${error.message}`);
    await pause();
  }
  return undefined;
}

async function run(handler, job) {
  const controller = new AbortController();
  current = { id: job.id, controller };
  const progress = (output) => post(job.id, { status: 'IN_PROGRESS', output });
  try {
    const output = await handler(job, { progress, signal: controller.signal });
    await post(job.id, { output });
  } catch (error) {
    if (controller.signal.aborted) {
      console.log(`job ${job.id} was canceled`);
    } else {
      console.error(error);
      await post(job.id, { error: errorReport(error) });
    }
  } finally {
    current = undefined;
  }
}

/** Returns the error of a job in the format of worker SDKs: JSON text with the type, the message, and the stack. */
function errorReport(error) {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return JSON.stringify({ error_type: name, error_message: message, error_traceback: stack });
}

/** Posts a result or a progress report. Retries a result, because it would otherwise be lost. */
async function post(jobId, body) {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    try {
      const response = await fetch(`${doneUrl.replace('$ID', jobId)}&isStream=false`, {
        method: 'POST',
        headers: { ...headers, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      if (response.status < 500) return;
    } catch (error) {
      console.error(`posting for job ${jobId} failed: ${error.message}`);
    }
    if (body.status === 'IN_PROGRESS') return;
    await pause();
  }
}

/** Polls for canceled jobs and aborts the running job if it is one of them. */
async function watchForStops() {
  const stopUrl = takeUrl.replace('/job-take/', '/job-stop/');
  while (!stopping) {
    try {
      const response = await fetch(stopUrl, { headers, signal: waiting.signal });
      if (response.status === 200) {
        const { jobsToStop = [] } = await response.json();
        if (current && jobsToStop.includes(current.id)) current.controller.abort();
      }
    } catch {
      // The next round tries again.
    }
    if (!stopping) await pause();
  }
}

/** Reports to the platform that this worker is alive, with its current job. */
function ping() {
  const url = current ? `${pingUrl}&job_id=${current.id}` : pingUrl;
  fetch(url, { headers }).catch(() => undefined);
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 500));
