import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { readGateParts } from '../../features/gate/actions/gatedManifest.ts';
import { GateError } from '../../features/gate/actions/gateError.ts';
import { CannotRunError, EXIT_CODES } from '../program/exitCodes.ts';

const MANIFEST = /\.endpoint\.(?:ya?ml|json)$/;

/** Returns the path of the manifest. @throws CannotRunError if there is none, or if there are several */
export async function manifestOf(given: string | undefined): Promise<string> {
  const file = path.resolve(given ?? '.');
  const facts = await stat(file).catch(() => undefined);
  if (!facts) throw cannot(`${given ?? file} does not exist`);
  if (!facts.isDirectory()) return file;
  const [only, ...others] = (await readdir(file)).filter((name) => MANIFEST.test(name));
  if (only === undefined) throw cannot(`${given ?? 'this folder'} has no manifest (*.endpoint.yaml)`);
  if (others.length > 0) throw cannot(`${given ?? 'this folder'} has several manifests. Name one of them`);
  return path.join(file, only);
}

/** Returns the index of the endpoint with a name, or undefined without a name. @throws CannotRunError if the manifest does not have it */
export async function partOf(manifest: string, endpoint: string | undefined): Promise<number | undefined> {
  if (endpoint === undefined) return undefined;
  const names = await readGateParts(manifest).catch((error: unknown) => {
    throw error instanceof GateError ? cannot(error.message) : error;
  });
  const index = names.indexOf(endpoint);
  if (index === -1) throw cannot(`${path.basename(manifest)} has no endpoint “${endpoint}”`);
  return index;
}

function cannot(message: string): CannotRunError {
  return new CannotRunError(message, EXIT_CODES.cannotTest);
}
