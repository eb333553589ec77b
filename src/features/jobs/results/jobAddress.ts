import type { JobAddress } from '../../../client/followJob.ts';
import { idPart } from '../../../vscode/text/idPart.ts';

/** Scheme of the documents that show jobs. */
export const JOB_SCHEME = 'cloud-compute-job';

/** A job, and the connection that it belongs to. */
export interface ConnectedJob extends JobAddress {
  readonly connectionId: string;
}

/** Documents of a job: its JSON, its error with the traceback, its streamed chunks, and the images of its output, numbered from 1. */
export type JobPart = 'result' | 'error' | 'stream' | { readonly image: number; readonly extension: string };

/** Returns the path of a job's document: `/<connection>/<endpoint>/<job>.json`. The suffix makes it a JSON document. */
export function jobPath(address: ConnectedJob): string {
  return partPath(address, 'result');
}

/** Returns the path of a document of a job. */
export function partPath({ connectionId, endpointId, jobId }: ConnectedJob, part: JobPart): string {
  return `/${segment(connectionId)}/${segment(endpointId)}/${segment(jobId)}${suffixOf(part)}`;
}

function suffixOf(part: JobPart): string {
  if (typeof part === 'object') return `.images/${part.image}.${part.extension}`;
  return part === 'result' ? '.json' : `.${part}.txt`;
}

const PATH = /^\/([^/.][^/]*)\/([^/.][^/]*)\/([^/]+)\.(json|error\.txt|stream\.txt|images\/(\d{1,4})\.(\w{1,8}))$/;

/** Parses the path of a document of a job. */
export function parseDocumentPath(
  path: string,
): { readonly address: ConnectedJob; readonly part: JobPart } | undefined {
  const match = PATH.exec(path);
  if (!match) return undefined;
  const [, connection = '', endpoint = '', job = '', suffix = '', image, extension = ''] = match;
  try {
    const [connectionId, endpointId, jobId] = [connection, endpoint, job].map(decodeURIComponent) as [
      string,
      string,
      string,
    ];
    const part: JobPart = image === undefined ? partOf(suffix) : { image: Number(image), extension };
    return { address: { connectionId, endpointId, jobId }, part };
  } catch {
    return undefined;
  }
}

function partOf(suffix: string): 'result' | 'error' | 'stream' {
  if (suffix === 'json') return 'result';
  return suffix === 'error.txt' ? 'error' : 'stream';
}

/** Parses the path of the document that shows a job's JSON. */
export function parseJobPath(path: string): ConnectedJob | undefined {
  const parsed = parseDocumentPath(path);
  return parsed?.part === 'result' ? parsed.address : undefined;
}

/** Encodes an ID, which comes from a service and appears in the editor. A leading dot would mark an editor file. */
function segment(id: string): string {
  return idPart(id).replace(/^\./, '%2E');
}
