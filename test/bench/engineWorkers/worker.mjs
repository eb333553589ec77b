// A worker in a container, or as a process. It takes one job at a time and returns its input.
const { RUNPOD_WEBHOOK_GET_JOB: takeUrl, RUNPOD_WEBHOOK_POST_OUTPUT: doneUrl, RUNPOD_AI_API_KEY: key } = process.env;
const headers = { Authorization: key };

process.on('SIGTERM', () => process.exit(0));
for (;;) {
  const response = await fetch(`${takeUrl}&job_in_progress=0`, { headers });
  const text = await response.text();
  if (response.status !== 200) continue;
  const { id, input } = JSON.parse(text);
  await fetch(doneUrl.replace('$ID', id), { method: 'POST', headers, body: JSON.stringify({ output: input }) });
}
