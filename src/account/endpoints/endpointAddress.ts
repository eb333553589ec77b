import * as z from 'zod';
import { DocumentAddresses } from '../../kit/documents/address.ts';

/** Scheme of the documents that show an endpoint. */
export const ENDPOINT_SCHEME = 'cloud-compute-endpoint';

/** `yaml`: the endpoint. `edit`: its editable manifest. `original`: the manifest before the edit. `explain`: the diagnosis. */
export type DocumentKind = 'yaml' | 'edit' | 'original' | 'explain';

const suffixes: Readonly<Record<DocumentKind, string>> = {
  yaml: '.yaml',
  // The suffix makes editors treat the document as a manifest.
  edit: '.endpoint.yaml',
  original: '.yaml',
  explain: '.md',
};

const Address = z.object({
  kind: z.enum(['yaml', 'edit', 'original', 'explain']),
  connectionId: z.string(),
  endpointId: z.string(),
});

export type DocumentAddress = z.infer<typeof Address>;

export const endpointAddresses = new DocumentAddresses(ENDPOINT_SCHEME, Address, ({ kind }) => suffixes[kind]);
