import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { DocumentAddresses } from '../../../../kit/documents/address.ts';
import { workerWords, type LogSubject } from '../../model/logSubject.ts';

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

/** Largest number of a page or a part. */
const MAX_NUMBER = 1e9;

const Address = z.object({
  connectionId: z.string(),
  endpointId: z.string(),
  endpointName: z.string(),
  workerIds: z.array(z.string()).readonly().optional(),
  page: z.int().min(0).max(MAX_NUMBER),
  part: z.int().min(0).max(MAX_NUMBER),
});

export type PageFields = z.infer<typeof Address>;

/** Returns the addresses of the pages of logs. @param scheme of the documents */
export const pageAddresses = (scheme: string) => new DocumentAddresses(scheme, Address, () => '.log');

/** Names a document of a log, such as `hello all workers (page 3)`. */
export function pageName({ subject, page, part }: PageAddress): string {
  return `${subject.endpointName} ${workerWords(subject)} (${pageWords({ page, part })})`;
}

/** Names a page, such as `page 3` or `page 3, part 2`. */
export function pageWords({ page, part }: PageId): string {
  return part === 0 ? l10n.t`page ${page + 1}` : l10n.t`page ${page + 1}, part ${part + 1}`;
}
