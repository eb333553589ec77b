import type { JobAddress } from '../../client/followJob.ts';

/** Scheme of the documents that jobs are shown as. */
export const JOB_SCHEME = 'cloud-compute-job';

/** Path of a job's document: `/<endpoint>/<job>.json`, whose end makes the editor read it as JSON. */
export function jobPath({ endpointId, jobId }: JobAddress): string {
  return `/${segment(endpointId)}/${segment(jobId)}.json`;
}

/** The job a document's path names. */
export function parseJobPath(path: string): JobAddress | undefined {
  const match = /^\/([^/]+)\/([^/]+)\.json$/.exec(path);
  try {
    const [endpointId, jobId] = (match?.slice(1) ?? []).map(decodeURIComponent);
    return endpointId !== undefined && jobId !== undefined ? { endpointId, jobId } : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes an id, because it comes from a service and the editor shows the path. */
function segment(id: string): string {
  return encodeURIComponent(id.toWellFormed());
}
