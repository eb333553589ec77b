import type { JobAddress } from '../../client/followJob.ts';
import { idPart } from '../../vscode/text/idPart.ts';

/** Scheme of the documents that show jobs. */
export const JOB_SCHEME = 'cloud-compute-job';

/** A job, and the connection that it belongs to. */
export interface ConnectedJob extends JobAddress {
  readonly connectionId: string;
}

/** The job of a document's path. Paths from earlier releases do not contain the connection. */
export type ParsedJob = JobAddress & { readonly connectionId: string | undefined };

/** Returns the path of a job's document: `/<connection>/<endpoint>/<job>.json`. The suffix makes it a JSON document. */
export function jobPath({ connectionId, endpointId, jobId }: ConnectedJob): string {
  return `/${segment(connectionId)}/${segment(endpointId)}/${segment(jobId)}.json`;
}

/** Parses the path of a job's document, also in the form `/<endpoint>/<job>.json` of earlier releases. */
export function parseJobPath(path: string): ParsedJob | undefined {
  const match = /^(?:\/([^/.][^/]*))?\/([^/.][^/]*)\/([^/]+)\.json$/.exec(path);
  try {
    const [connectionId, endpointId, jobId] = (match?.slice(1) ?? []).map(decoded);
    return endpointId !== undefined && jobId !== undefined ? { connectionId, endpointId, jobId } : undefined;
  } catch {
    return undefined;
  }
}

/** Encodes an ID, which comes from a service and appears in the editor. A leading dot would mark an editor file. */
function segment(id: string): string {
  return idPart(id).replace(/^\./, '%2E');
}

function decoded(part: string | undefined): string | undefined {
  return part === undefined ? undefined : decodeURIComponent(part);
}
