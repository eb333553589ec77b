import { foreign } from '../../../vscode/text/shownText.ts';

/** Scheme of the documents that show an endpoint. */
export const ENDPOINT_SCHEME = 'cloud-compute-endpoint';

/** yaml: as it is. edit: the manifest bound to it. original: that manifest before it was edited. explain: why its jobs wait. */
export type DocumentKind = 'yaml' | 'edit' | 'original' | 'explain';

export interface DocumentAddress {
  readonly kind: DocumentKind;
  readonly endpointId: string;
}

const fileNames: Readonly<Record<DocumentKind, (name: string) => string>> = {
  yaml: (name) => `${name}.yaml`,
  // Its name makes it a manifest, with everything an editor knows about those.
  edit: (name) => `${name}.endpoint.yaml`,
  original: (name) => `${name}.yaml`,
  explain: (name) => `Explain ${name}.md`,
};

/** Longest document name, in UTF-16 code units. The editor shows the name in a tab. */
const LONGEST_NAME = 80;

/** Path of a document: `/<kind>/<id>/<file name>`. */
export function documentPath({ kind, endpointId }: DocumentAddress, name: string): string {
  const fileName = fileNames[kind](foreign(name.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-'), LONGEST_NAME).text);
  return `/${kind}/${encodeURIComponent(endpointId.toWellFormed())}/${fileName}`;
}

/** Undefined for what the editor asks for beside any document, such as its folder's settings. */
export function parseDocumentPath(path: string): DocumentAddress | undefined {
  const [, kind = '', id = '', name, ...more] = path.split('/');
  if (!(kind in fileNames) || id === '' || name === undefined || more.length > 0) return undefined;
  if (!/\.(yaml|md)$/.test(name)) return undefined;
  return { kind: kind as DocumentKind, endpointId: decodeURIComponent(id) };
}
