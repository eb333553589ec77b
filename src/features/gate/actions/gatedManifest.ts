import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { GatePart } from '../../../contract/gate.ts';
import type { CreateEndpointBody } from '../../../contract/endpoint.ts';
import { shown } from '../../../text/shownText.ts';
import { InvalidManifestError, draftOf } from '../../manifest/actions/createEndpoint.ts';
import { nameOf } from '../../manifest/model/deployment/matchEndpoint.ts';
import { readManifestFile, type ManifestPart } from '../../manifest/model/manifestFile.ts';
import { GateError } from './gateError.ts';

/** Which endpoint of a file, and in which environment. */
export interface PartChoice {
  /** Index in the file. Default: the only endpoint. */
  readonly part?: number | undefined;
  readonly environment?: string | undefined;
  /** Kind of platform that runs it. */
  readonly target: 'local' | 'hosted';
}

/** An endpoint of a manifest, as a gate runs it. */
export interface GatePartOfFile {
  readonly name: string;
  readonly index: number;
  /** The endpoint as the file has it, without an environment. */
  readonly value: unknown;
  readonly gate: GatePart;
  /** The create body. References in `env` are not resolved. */
  readonly body: CreateEndpointBody;
}

/** Reads an endpoint of a manifest file. @throws GateError */
export async function readGated(file: string, choice: PartChoice): Promise<GatePartOfFile> {
  const name = path.basename(file);
  const parts = await partsOf(file, choice, (words) => new GateError('invalidManifest', shown`${name}: ${words}`));
  const [only, ...others] = parts;
  const part = choice.part === undefined ? only : parts[choice.part];
  if (!part || (choice.part === undefined && others.length > 0))
    throw new GateError('invalidManifest', shown`${name} has ${parts.length} endpoints. Choose one of them`);
  try {
    return gatedOf(part, file, choice);
  } catch (error) {
    if (!(error instanceof InvalidManifestError)) throw error;
    throw new GateError('invalidManifest', shown`${name}: ${error.message}`);
  }
}

/** Returns the names of the endpoints of a file. @throws GateError if it cannot be read */
export async function readGateParts(file: string): Promise<readonly (string | undefined)[]> {
  const failed = (words: string) => new GateError('invalidManifest', words);
  return (await partsOf(file, { target: 'local' }, failed)).map(nameOf);
}

/** Reads the endpoint with this name in an earlier version of the file. @throws GateError */
export async function readEarlier(
  file: string,
  choice: PartChoice,
  { name, revision }: { readonly name: string; readonly revision: string },
): Promise<GatePartOfFile> {
  const failed = (words: string) => new GateError('notInRevision', shown`${revision}: ${words}`);
  const parts = await partsOf(file, choice, failed);
  const named = parts.filter(({ manifest }) => manifest?.name === name);
  const [part] = named.length > 0 ? named : parts.length === 1 ? parts : [];
  if (!part) throw failed(l10n.t`${path.basename(file)} has no endpoint “${name}”`);
  try {
    return gatedOf(part, file, choice);
  } catch (error) {
    if (!(error instanceof InvalidManifestError)) throw error;
    throw failed(error.message);
  }
}

async function partsOf(
  file: string,
  { target, environment }: PartChoice,
  failed: (words: string) => GateError,
): Promise<readonly ManifestPart[]> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) throw failed(l10n.t`${path.basename(file)} cannot be read`);
  const language = file.endsWith('.json') ? 'json' : 'yaml';
  return readManifestFile(text, { language, target, environment }).parts;
}

function gatedOf(part: ManifestPart, file: string, { target }: PartChoice): GatePartOfFile {
  const { manifest, body } = draftOf(part, { target, folder: path.dirname(file) });
  if (manifest.type === 'LOAD_BALANCER')
    throw new GateError('invalidManifest', shown`“${manifest.name}” is load-balanced, and takes no jobs`);
  return { name: manifest.name, index: part.index, value: part.parsed.value, gate: manifest['x-gate'] ?? {}, body };
}
