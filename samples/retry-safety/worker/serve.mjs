/* A worker loop without dependencies, for Node 18 and newer. The platform sets these variables, which have the names of worker SDKs. */
const {
  RUNPOD_WEBHOOK_GET_JOB: takeUrl,
  RUNPOD_WEBHOOK_POST_OUTPUT: doneUrl,
  RUNPOD_AI_API_KEY: key = '',
} = process.env;
const headers = { Authorization: key };
const pause = () => new Promise((resolve) => setTimeout(resolve, 500));

/** Runs `handler(job, progress)` for each job. */
export async function serve(handler) {
  for (;;) {
    const response = await fetch(`${takeUrl}&job_in_progress=0`, { headers }).catch(pause);
    if (response?.status === 200) await run(handler, await response.json());
  }
}

async function run(handler, job) {
  const progress = (output) => post(job.id, { status: 'IN_PROGRESS', output });
  try {
    await post(job.id, { output: await handler(job, progress) });
  } catch (error) {
    console.error(error);
    await post(job.id, { error: String(error) });
  }
}

/** Posts a result until the platform has accepted it. */
async function post(jobId, body) {
  for (let attempt = 1; attempt <= 20; attempt++) {
    const url = `${doneUrl.replace('$ID', jobId)}&isStream=false`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => undefined);
    if (response !== undefined && response.status < 500) return;
    await pause();
  }
}
