import { DocumentAddresses } from '../../kit/documents/address.ts';
import { object, oneOf, text, type ValueOf } from '../../kit/smallSchema.ts';

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

const Address = object({
  kind: oneOf('yaml', 'edit', 'original', 'explain'),
  connectionId: text,
  endpointId: text,
});

export type DocumentAddress = ValueOf<typeof Address>;

export const endpointAddresses = new DocumentAddresses(ENDPOINT_SCHEME, Address, ({ kind }) => suffixes[kind]);
