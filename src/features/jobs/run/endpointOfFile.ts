import * as vscode from 'vscode';
import type { JobFile } from '../../../contract/jobFile.ts';
import { shown } from '../../../vscode/text/shownText.ts';
import { UserError } from '../../../vscode/userError.ts';
import type { EndpointSnapshot } from '../../endpoints/endpointSnapshot.ts';
import { languageOf } from '../../manifest/manifestFiles.ts';
import { parseManifestFile } from '../../manifest/model/text/parse.ts';
import type { Services } from '../../services.ts';

const MANIFESTS = '*.endpoint.{yaml,yml,json}';
const MAX_MANIFESTS = 20;

/**
 * Returns the endpoint that a job file belongs to: the one that it names, or that of the only manifest in its folder. Undefined if the user
 * has to choose.
 *
 * @throws UserError if the named endpoint does not exist or takes no jobs
 */
export async function endpointOfFile(
  { endpoints, connections }: Pick<Services, 'endpoints' | 'connections'>,
  file: JobFile,
  uri: vscode.Uri,
): Promise<EndpointSnapshot | undefined> {
  // The endpoints have not been read if the view has not been visible yet.
  await endpoints.refresh();
  if (endpoints.state.kind === 'failed') throw endpoints.state.error;
  const known = endpoints.endpoints.filter(({ deleting }) => !deleting);
  if (file.endpoint === undefined) {
    const names = new Set(await manifestNames(uri));
    const found = known.filter(({ endpoint }) => endpoint.type !== 'LOAD_BALANCER' && names.has(endpoint.name));
    return found.length === 1 ? found[0] : undefined;
  }
  const wanted = file.endpoint;
  const byId = known.find(({ endpoint }) => endpoint.id === wanted);
  const named = byId ? [byId] : known.filter(({ endpoint }) => endpoint.name === wanted);
  const [found] = named.filter(({ endpoint }) => endpoint.type !== 'LOAD_BALANCER');
  if (found) return found;
  if (named.length > 0)
    throw new UserError(shown`“${wanted}” is load-balanced: it takes HTTP requests, not jobs`, {
      label: 'New HTTP File…',
      command: 'cloudCompute.routes.newFile',
    });
  throw new UserError(shown`there is no endpoint “${wanted}” on “${connections.profile?.name ?? ''}”`, {
    label: 'Create Endpoint',
    command: 'cloudCompute.manifest.createEndpoint',
  });
}

/** Returns the names of the endpoints in the manifests next to a file. */
async function manifestNames(uri: vscode.Uri): Promise<readonly string[]> {
  if (uri.scheme === 'untitled') return [];
  const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(uri, '..'), MANIFESTS);
  const files = await vscode.workspace.findFiles(pattern, null, MAX_MANIFESTS);
  const names = await Promise.all(
    files.map(async (file) => {
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
      return parseManifestFile(text, languageOf(file)).parts.map(({ value }) => nameOf(value));
    }),
  );
  return names.flat().filter((name) => name !== undefined);
}

function nameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('name' in value)) return undefined;
  return typeof value.name === 'string' ? value.name : undefined;
}
