import { idPart } from '../../../vscode/text/idPart.ts';
import { foreign } from '../../../vscode/text/shownText.ts';

/** Scheme of the documents that show an endpoint. */
export const ENDPOINT_SCHEME = 'cloud-compute-endpoint';

/** `yaml`: the endpoint. `edit`: its editable manifest. `original`: the manifest before the edit. `explain`: the diagnosis. */
export type DocumentKind = 'yaml' | 'edit' | 'original' | 'explain';

export interface DocumentAddress {
  readonly kind: DocumentKind;
  readonly connectionId: string;
  readonly endpointId: string;
}

const fileNames: Readonly<Record<DocumentKind, (name: string) => string>> = {
  yaml: (name) => `${name}.yaml`,
  // The suffix makes editors treat the document as a manifest.
  edit: (name) => `${name}.endpoint.yaml`,
  original: (name) => `${name}.yaml`,
  explain: (name) => `Explain ${name}.md`,
};

/** Maximum length of a document's name, in UTF-16 code units. The editor shows the name in a tab. */
const LONGEST_NAME = 80;

/** Returns the path of a document: `/<kind>/<connection>/<endpoint>/<file name>`. */
export function documentPath({ kind, connectionId, endpointId }: DocumentAddress, name: string): string {
  const fileName = fileNames[kind](foreign(name.replace(/[/\\:*?"<>|\p{Cc}]/gu, '-'), LONGEST_NAME).text);
  return `/${kind}/${idPart(connectionId)}/${idPart(endpointId)}/${fileName}`;
}

/** Parses the path of a document. Returns undefined for other paths that the editor reads, such as the settings of its folder. */
export function parseDocumentPath(path: string): DocumentAddress | undefined {
  const match = /^\/([a-z]+)\/([^/]+)\/([^/]+)\/[^/]*\.(?:yaml|md)$/.exec(path);
  const [, kind = '', connection = '', endpoint = ''] = match ?? [];
  if (!Object.hasOwn(fileNames, kind)) return undefined;
  try {
    const [connectionId, endpointId] = [decodeURIComponent(connection), decodeURIComponent(endpoint)];
    return { kind: kind as DocumentKind, connectionId, endpointId };
  } catch {
    return undefined;
  }
}
