import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { foreign } from '../../../../vscode/text/shownText.ts';
import { workerWords, type LogSubject } from '../../model/logSubject.ts';

/** Scheme of the documents that show a full log. */
export const FULL_LOG_SCHEME = 'cloud-compute-log';

/** A document of a full log. */
export interface PageId {
  /** Number of the page, from 0 for the oldest one. */
  readonly page: number;
  /** Number of the part, from 0. Only a page with too much text for one document has several parts. */
  readonly part: number;
}

export interface PageAddress extends PageId {
  readonly subject: LogSubject;
}

/** The parts of an address that identify a document. */
export interface PageUri {
  readonly path: string;
  readonly query: string;
}

/** Maximum length of an endpoint's name or a worker's ID in the name of a document, in UTF-16 code units. */
const LONGEST_NAME = 80;

/** Returns the address of a page. Its path is the name of the document, and its query identifies the page. */
export function pageUri({ subject, page, part }: PageAddress): PageUri {
  const { connectionId, endpointId, endpointName, workerIds } = subject;
  const name = `${plain(endpointName)} ${plain(workerWords(subject))} (${pageWords({ page, part })})`;
  const query = { connectionId, endpointId, endpointName, ...(workerIds && { workerIds }), page, part };
  return { path: `/${name}.log`, query: JSON.stringify(query) };
}

/** Names a page, such as `page 3` or `page 3, part 2`. */
export function pageWords({ page, part }: PageId): string {
  return part === 0 ? l10n.t`page ${page + 1}` : l10n.t`page ${page + 1}, part ${part + 1}`;
}

/** Largest number of a page or a part. */
const MAX_NUMBER = 1e9;

const Query = z.object({
  connectionId: z.string(),
  endpointId: z.string(),
  endpointName: z.string(),
  workerIds: z.array(z.string()).optional(),
  page: z.int().min(0).max(MAX_NUMBER),
  part: z.int().min(0).max(MAX_NUMBER),
});

/** Parses the query of an address. Returns undefined for an invalid one, such as that of another file in the document's folder. */
export function parsePageQuery(query: string): PageAddress | undefined {
  const read = Query.safeParse(parseJson(query)).data;
  if (!read) return undefined;
  const { page, part, ...subject } = read;
  return { subject, page, part };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Replaces the characters that cannot be in the name of a file. */
function plain(name: string): string {
  return foreign(name.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-'), LONGEST_NAME).text;
}
