import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { ManifestPart } from '../../features/manifest/model/manifestFile.ts';
import { isNamed } from '../../features/manifest/model/patched/connectionMatch.ts';
import { ToolError } from '../model/toolError.ts';
import type { ToolConnection } from './agentTool.ts';

/* The environment that a tool deploys a manifest in. */

export const environmentField = z
  .string()
  .max(100)
  .optional()
  .describe('Name of an environment in x-environments. Required if the manifest has environments.');

type Chosen = Pick<ManifestPart, 'environment' | 'environments'>;

/** Checks the choice of an environment. @throws ToolError if a manifest has others, or if its connection is not the current one */
export function requireEnvironment(
  { environment, environments }: Chosen,
  chosen: string | undefined,
  connection: ToolConnection,
): void {
  const names = environments.map(({ name }) => name).join(', ');
  if (!environment && (environments.length > 0 || chosen !== undefined))
    throw new ToolError(
      'invalidInput',
      environments.length === 0
        ? 'environment: the manifest has no x-environments.'
        : `environment: choose one of ${names}.`,
    );
  const written = environment?.connection;
  if (written !== undefined && !isNamed(written, connection))
    throw new ToolError(
      'notPossible',
      `The environment ${environment?.name} is for the connection ${written}, and the current one is ${connection.name} (${connection.host}). Ask the user to switch the connection.`,
    );
}

/** Returns the line of a question that names the environment. */
export function environmentLines({ environment }: Chosen): readonly string[] {
  if (!environment) return [];
  const { name, production } = environment;
  return [production ? l10n.t`Environment: ${name}, which is PRODUCTION` : l10n.t`Environment: ${name}`];
}
