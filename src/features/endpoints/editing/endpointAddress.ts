import { idPart } from '../../../vscode/text/idPart.ts';
import { foreign } from '../../../vscode/text/shownText.ts';

/** Scheme of the documents that show an endpoint. */
export const ENDPOINT_SCHEME = 'cloud-compute-endpoint';

/** yaml: as it is. edit: the manifest bound to it. original: that manifest before it was edited. explain: why its jobs wait. */
export type DocumentKind = 'yaml' | 'edit' | 'original' | 'explain';

export interface DocumentAddress {
  readonly kind: DocumentKind;
  /** Undefined in an address from an earlier release, which did not name the connection. */
  readonly connectionId: string | undefined;
  readonly endpointId: string;
}

/** The address of a document that is opened now. */
export type NewDocumentAddress = DocumentAddress & { readonly connectionId: string };

const fileNames: Readonly<Record<DocumentKind, (name: string) => string>> = {
  yaml: (name) => `${name}.yaml`,
  // Its name makes it a manifest, with everything an editor knows about those.
  edit: (name) => `${name}.endpoint.yaml`,
  original: (name) => `${name}.yaml`,
  explain: (name) => `Explain ${name}.md`,
};

/** Longest document name, in UTF-16 code units. The editor shows the name in a tab. */
const LONGEST_NAME = 80;

/** Path of a document: `/<kind>/<connection>/<endpoint>/<file name>`. */
export function documentPath({ kind, connectionId, endpointId }: NewDocumentAddress, name: string): string {
  const fileName = fileNames[kind](foreign(name.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-'), LONGEST_NAME).text);
  return `/${kind}/${idPart(connectionId)}/${idPart(endpointId)}/${fileName}`;
}

/**
 * The document that a path names, also in the form `/<kind>/<endpoint>/<file name>` of earlier releases. Undefined for what the editor
 * asks for beside any document, such as its folder's settings.
 */
export function parseDocumentPath(path: string): DocumentAddress | undefined {
  const match = /^\/([a-z]+)(?:\/([^/]+))?\/([^/]+)\/[^/]*\.(?:yaml|md)$/.exec(path);
  const [, kind = '', connection, endpoint = ''] = match ?? [];
  if (!Object.hasOwn(fileNames, kind)) return undefined;
  try {
    const connectionId = connection === undefined ? undefined : decodeURIComponent(connection);
    return { kind: kind as DocumentKind, connectionId, endpointId: decodeURIComponent(endpoint) };
  } catch {
    return undefined;
  }
}
