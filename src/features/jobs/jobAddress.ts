import type { JobAddress } from '../../client/followJob.ts';
import { idPart } from '../../vscode/text/idPart.ts';

/** Scheme of the documents that jobs are shown as. */
export const JOB_SCHEME = 'cloud-compute-job';

/** A job, and the connection that it belongs to. */
export interface ConnectedJob extends JobAddress {
  readonly connectionId: string;
}

/** The job that a path names. Paths from earlier releases do not name the connection. */
export type ParsedJob = JobAddress & { readonly connectionId: string | undefined };

/** Path of a job's document: `/<connection>/<endpoint>/<job>.json`, whose end makes the editor read it as JSON. */
export function jobPath({ connectionId, endpointId, jobId }: ConnectedJob): string {
  return `/${segment(connectionId)}/${segment(endpointId)}/${segment(jobId)}.json`;
}

/** The job that a document's path names, also in the form `/<endpoint>/<job>.json` of earlier releases. */
export function parseJobPath(path: string): ParsedJob | undefined {
  const match = /^(?:\/([^/.][^/]*))?\/([^/.][^/]*)\/([^/]+)\.json$/.exec(path);
  try {
    const [connectionId, endpointId, jobId] = (match?.slice(1) ?? []).map(decoded);
    return endpointId !== undefined && jobId !== undefined ? { connectionId, endpointId, jobId } : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes an id, because it comes from a service and the editor shows the path. A dot at its start would mark a file of the editor. */
function segment(id: string): string {
  return idPart(id).replace(/^\./, '%2E');
}

function decoded(part: string | undefined): string | undefined {
  return part === undefined ? undefined : decodeURIComponent(part);
}
