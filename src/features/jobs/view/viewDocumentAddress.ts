import * as z from 'zod';
import { DocumentAddresses } from '../../../kit/documents/address.ts';
import { JOB_VIEW_SCHEME } from '../model/jobNames.ts';

/** `request`: the sent request. `log`: the log lines of a job. `timeline`: the spans of its life. */
type ViewDocumentKind = 'request' | 'log' | 'timeline';

const suffixes: Readonly<Record<ViewDocumentKind, string>> = {
  request: '.request.json',
  log: '.log',
  timeline: '.timeline.txt',
};

const Address = z.object({
  kind: z.enum(['request', 'log', 'timeline']),
  connectionId: z.string(),
  endpointId: z.string(),
  jobId: z.string(),
});

export type ViewDocumentAddress = z.infer<typeof Address>;

/** Documents about jobs, other than their results. */
export const viewDocumentAddresses = new DocumentAddresses(JOB_VIEW_SCHEME, Address, ({ kind }) => suffixes[kind]);
