import path from 'node:path';
import * as l10n from '@vscode/l10n';
import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import type { CreateEndpointBody, Endpoint } from '../../../contract/endpoint.ts';
import { hostedCreateBody, localCreateBody, type Manifest } from '../../../contract/manifest.ts';
import { applyTemplate, type Template } from '../../../contract/template.ts';
import type { Comparison, Resolve } from '../model/deployment/compare.ts';
import { literalText } from '../../../account/secrets/envReferences.ts';

/* Steps that compare a manifest with its deployed endpoint. */

/** Thrown for a relative `x-local.directory` in a manifest without a folder on this machine. */
export class NoFolderError extends Error {
  constructor() {
    super(l10n.t('x-local.directory is relative, but the manifest has no folder on this machine'));
    this.name = 'NoFolderError';
  }
}

/** The platform that a manifest is for, and the place of the file. */
export interface Surroundings {
  /** Kind of platform. */
  readonly target: 'local' | 'hosted';
  /** Absolute path of the manifest's folder, the base of a relative `x-local.directory`. Undefined if the folder is not on this machine. */
  readonly folder: string | undefined;
}

/** Returns the create body of a manifest, without the settings of its template. @throws NoFolderError */
export function bodyOf(manifest: Manifest, { target, folder }: Surroundings): CreateEndpointBody {
  if (target === 'hosted') return hostedCreateBody(manifest);
  return localCreateBody(manifest, (directory) => {
    if (path.isAbsolute(directory)) return directory;
    if (folder === undefined) throw new NoFolderError();
    return path.resolve(folder, directory);
  });
}

/** Returns an endpoint with the settings that a manifest sets on this kind of platform. Only the local platform receives `x-local`. */
export function comparableEndpoint(endpoint: Endpoint, target: Surroundings['target']): Endpoint {
  if (target === 'local') return endpoint;
  const { 'x-local': _, ...others } = endpoint;
  return others;
}

/** Returns a directory as a manifest in this folder would name it. A directory outside the folder stays absolute. */
export function directoryInFile(directory: string, folder: string | undefined): string {
  if (folder === undefined) return directory;
  const relative = path.relative(folder, directory);
  if (relative === '') return '.';
  return relative.startsWith('..') || path.isAbsolute(relative) ? directory : relative.split(path.sep).join('/');
}

/** Returns a client that reads each template once. */
export function withKnownTemplates(client: Pick<Client, 'getTemplate'>): Pick<Client, 'getTemplate'> {
  const known = new Map<string, Promise<Template>>();
  return {
    getTemplate: (args, options) => {
      const template = known.get(args.id) ?? client.getTemplate(args, options);
      known.set(args.id, template);
      return template;
    },
  };
}

/** Reads a template. Resolves with undefined if it does not exist. @throws ApiError */
async function findTemplate(
  client: Pick<Client, 'getTemplate'>,
  id: string,
  signal?: AbortSignal,
): Promise<Template | undefined> {
  try {
    return await client.getTemplate({ id }, { ...(signal && { signal }) });
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'notFound') return undefined;
    throw error;
  }
}

/** Applies a template. Its variables are literals, because text of a platform must not read a secret. */
function withTemplateSettings(body: CreateEndpointBody, template: Template): CreateEndpointBody {
  const { env } = template;
  const literals = env && Object.fromEntries(Object.entries(env).map(([name, text]) => [name, literalText(text)]));
  return applyTemplate(body, { ...template, ...(literals && { env: literals }) });
}

export interface ComparisonSource extends Surroundings {
  readonly manifest: Manifest;
  readonly resolve: Resolve;
}

/**
 * Compares a manifest with an endpoint. The settings of its template count as its own.
 *
 * @throws ApiError if the template cannot be read, and NoFolderError
 */
export async function compareWithDeployed(
  client: Pick<Client, 'getTemplate'>,
  { manifest, resolve, ...surroundings }: ComparisonSource,
  endpoint: Endpoint,
  signal?: AbortSignal,
): Promise<Comparison> {
  const { compareWithEndpoint } = await import('../model/deployment/compare.ts');
  const body = bodyOf(manifest, surroundings);
  const template = body.templateId === undefined ? undefined : await findTemplate(client, body.templateId, signal);
  const compared = comparableEndpoint(endpoint, surroundings.target);
  return compareWithEndpoint(template ? withTemplateSettings(body, template) : body, compared, resolve);
}
