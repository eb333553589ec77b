import { idPart } from '../../../vscode/text/idPart.ts';

/** Scheme of the documents that show a deployed endpoint in the form of its manifest. */
export const DEPLOYED_SCHEME = 'cloud-compute-deployed';

export interface DeployedAddress {
  readonly connectionId: string;
  readonly endpointId: string;
  /** URI of the manifest's file. */
  readonly file: string;
  /** Index of the endpoint in the file. */
  readonly part: number;
}

/** Parts of the URI of a document. */
export interface DeployedUri {
  /** `/<connection>/<endpoint>/<part>/<file name>` */
  readonly path: string;
  /** URI of the manifest's file. */
  readonly query: string;
}

export function deployedUri({ connectionId, endpointId, file, part }: DeployedAddress, fileName: string): DeployedUri {
  return { path: `/${idPart(connectionId)}/${idPart(endpointId)}/${part}/${fileName}`, query: file };
}

/** Returns undefined for other paths that the editor reads, such as the settings of the document's folder. */
export function parseDeployedUri({ path, query }: DeployedUri): DeployedAddress | undefined {
  const [, connection, endpoint, part] = /^\/([^/]+)\/([^/]+)\/(\d+)\/[^/]+$/.exec(path) ?? [];
  if (connection === undefined || endpoint === undefined || query === '') return undefined;
  try {
    return {
      connectionId: decodeURIComponent(connection),
      endpointId: decodeURIComponent(endpoint),
      file: query,
      part: Number(part),
    };
  } catch {
    return undefined;
  }
}
