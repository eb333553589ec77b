import type { Endpoint } from '../../src/contract/endpoint.ts';
import type { Api } from './support.ts';

export type Puppet = Awaited<ReturnType<typeof puppet>>;

/** Speaks the worker protocol in place of a worker that was started with `puppet.mjs`: the given worker, or the first that starts. */
export async function puppet(api: Api, endpoint: Endpoint, workerId?: string) {
  const id = workerId ?? (await api.worker(endpoint, 'INITIALIZING')).id;
  const said = await api.logsUntil(endpoint, id, ({ line }) => line.includes('/job-done/'), {
    query: { source: 'container' },
  });
  const [takeUrl = '', doneUrl = ''] = said.map(({ line }) => line);
  const json = async (response: Response): Promise<unknown> =>
    response.status === 204 ? undefined : await response.json();
  const to = (url: string, action: string) => url.replace(/job-(take|done)/, action);
  const post = async (url: string, body: string, headers: Record<string, string> = {}) =>
    (await fetch(url, { method: 'POST', body, headers })).status;
  return {
    id,
    takeUrl,
    doneUrl,
    take: async (signal?: AbortSignal) =>
      json(await fetch(`${takeUrl}&job_in_progress=0`, signal === undefined ? {} : { signal })),
    takeBatch: async (size: number, inProgress = 0) =>
      (await json(
        await fetch(`${to(takeUrl, 'job-take-batch')}&batch_size=${size}&job_in_progress=${inProgress}`),
      )) as { id: string }[],
    jobsToStop: async (signal: AbortSignal | null = null) =>
      ((await json(await fetch(to(takeUrl, 'job-stop'), { signal }))) as { jobsToStop: string[] }).jobsToStop,
    done: (jobId: string, body: string, headers?: Record<string, string>) =>
      post(`${doneUrl.replace('$ID', jobId)}&isStream=false`, body, headers),
    chunk: (jobId: string, output: unknown) =>
      post(`${to(doneUrl, 'job-stream').replace('$ID', jobId)}&isStream=false`, JSON.stringify({ output })),
    ping: async (jobId?: string) => {
      const url = to(takeUrl, 'ping') + (jobId === undefined ? '' : `&job_id=${jobId}`);
      return (await fetch(url)).status;
    },
  };
}
