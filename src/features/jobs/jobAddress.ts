import type { JobAddress } from '../../client/followJob.ts';

/** Scheme of the documents that jobs are shown as. */
export const JOB_SCHEME = 'cloud-compute-job';

/** Path of a job's document: `/<endpoint>/<job>.json`, whose end makes the editor read it as JSON. */
export function jobPath({ endpointId, jobId }: JobAddress): string {
  return `/${endpointId}/${jobId}.json`;
}

/** The job a document's path names. */
export function parseJobPath(path: string): JobAddress | undefined {
  const match = /^\/([^/]+)\/([^/]+)\.json$/.exec(path);
  return match?.[1] !== undefined && match[2] !== undefined ? { endpointId: match[1], jobId: match[2] } : undefined;
}
