import { idPart } from '../../../vscode/text/idPart.ts';
import { foreign } from '../../../vscode/text/shownText.ts';
import { shortRequestId } from '../../../vscode/text/shortRequestId.ts';

/** Scheme of the documents about jobs, other than their results. */
export const JOB_VIEW_SCHEME = 'cloud-compute-job-view';

/** `request`: the sent request. `log`: the log lines of a job. */
export type ViewDocumentKind = 'request' | 'log';

export interface ViewDocumentAddress {
  readonly kind: ViewDocumentKind;
  readonly connectionId: string;
  readonly endpointId: string;
  readonly jobId: string;
}

const fileNames: Readonly<Record<ViewDocumentKind, (name: string, jobId: string) => string>> = {
  request: (name, jobId) => `${name} ${shortRequestId(jobId)}.request.json`,
  log: (name, jobId) => `${name} ${shortRequestId(jobId)}.log`,
};

/** Maximum length of an endpoint's name in the name of a document, in UTF-16 code units. */
const LONGEST_NAME = 80;

/** Returns the path of a document: `/<kind>/<connection>/<endpoint>/<job>/<file name>`. */
export function viewDocumentPath({ kind, connectionId, endpointId, jobId }: ViewDocumentAddress, name: string): string {
  const fileName = fileNames[kind](plain(name), plain(jobId));
  return `/${kind}/${[connectionId, endpointId, jobId].map(segment).join('/')}/${fileName}`;
}

/** Parses the path of a document. Returns undefined for other paths, such as the settings of the document's folder. */
export function parseViewDocumentPath(path: string): ViewDocumentAddress | undefined {
  const match = /^\/([a-z]+)\/([^/]+)\/([^/]+)\/([^/]+)\/[^/]+\.(?:json|log)$/.exec(path);
  const [, kind = '', connection = '', endpoint = '', job = ''] = match ?? [];
  if (!Object.hasOwn(fileNames, kind)) return undefined;
  try {
    return {
      kind: kind as ViewDocumentKind,
      connectionId: decodeURIComponent(connection),
      endpointId: decodeURIComponent(endpoint),
      jobId: decodeURIComponent(job),
    };
  } catch {
    return undefined;
  }
}

/** Encodes an ID. A leading dot would mark a file of the editor. */
function segment(id: string): string {
  return idPart(id).replace(/^\./, '%2E');
}

function plain(name: string): string {
  return foreign(name.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-'), LONGEST_NAME).text;
}
