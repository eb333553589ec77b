import { idPart } from '../../../vscode/text/idPart.ts';
import { foreign } from '../../../vscode/text/shownText.ts';
import { shortRequestId } from '../../../vscode/text/shortRequestId.ts';

/** Scheme of the documents about jobs, other than their results. */
export const JOB_VIEW_SCHEME = 'cloud-compute-job-view';

/** `request`: the sent request. `log`: the log lines of a job. `health`: the queue and workers of an endpoint. */
export type ViewDocumentKind = 'request' | 'log' | 'health';

export interface ViewDocumentAddress {
  readonly kind: ViewDocumentKind;
  readonly connectionId: string;
  readonly endpointId: string;
  /** Empty in the address of a document about an endpoint. */
  readonly jobId: string;
}

const fileNames: Readonly<Record<ViewDocumentKind, (name: string, jobId: string) => string>> = {
  request: (name, jobId) => `${name} ${shortRequestId(jobId)}.request.json`,
  log: (name, jobId) => `${name} ${shortRequestId(jobId)}.log`,
  health: (name) => `Health of ${name}.txt`,
};

/** Stands for an empty job ID. An encoded ID does not contain this character. */
const NO_JOB = '~';
/** Maximum length of an endpoint's name in the name of a document, in UTF-16 code units. */
const LONGEST_NAME = 80;

/** Returns the path of a document: `/<kind>/<connection>/<endpoint>/<job>/<file name>`. */
export function viewDocumentPath({ kind, connectionId, endpointId, jobId }: ViewDocumentAddress, name: string): string {
  const fileName = fileNames[kind](plain(name), plain(jobId));
  const job = jobId === '' ? NO_JOB : segment(jobId);
  return `/${kind}/${segment(connectionId)}/${segment(endpointId)}/${job}/${fileName}`;
}

/** Parses the path of a document. Returns undefined for other paths, such as the settings of the document's folder. */
export function parseViewDocumentPath(path: string): ViewDocumentAddress | undefined {
  const match = /^\/([a-z]+)\/([^/]+)\/([^/]+)\/([^/]+)\/[^/]+\.(?:json|log|md|txt)$/.exec(path);
  const [, kind = '', connection = '', endpoint = '', job = ''] = match ?? [];
  if (!Object.hasOwn(fileNames, kind)) return undefined;
  try {
    return {
      kind: kind as ViewDocumentKind,
      connectionId: decodeURIComponent(connection),
      endpointId: decodeURIComponent(endpoint),
      jobId: job === NO_JOB ? '' : decodeURIComponent(job),
    };
  } catch {
    return undefined;
  }
}

/** Encodes an ID. A leading dot would mark a file of the editor, and `~` stands for no job. */
function segment(id: string): string {
  return idPart(id).replace(/^\./, '%2E').replaceAll('~', '%7E');
}

function plain(name: string): string {
  return foreign(name.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-'), LONGEST_NAME).text;
}
