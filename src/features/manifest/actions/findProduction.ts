import type { JournaledDeployment } from '../model/deployment/journal.ts';
import { readManifests, type FileTree } from './readManifests.ts';
import { PRODUCTION } from '../../../contract/environmentNames.ts';
import { nameOf } from '../model/deployment/matchEndpoint.ts';
import { parseManifestFile } from '../model/text/parse.ts';
import { isNamed, type NamedConnection } from '../model/patched/connectionMatch.ts';
import { environmentsOf, manifestIn, type FolderEnvironment, type TextFile } from '../model/patched/environmentsOf.ts';

/** An endpoint, and its deployments, newest first. */
export interface DeployedEndpoint extends Omit<PlacedEndpoint, 'journaled'> {
  readonly deployments: readonly JournaledDeployment[];
}

/**
 * Returns the environment of production that an endpoint is in, as the manifests of folders or the journal tell. Undefined if it is in none.
 * A folder that cannot be read has no manifests.
 */
export async function findProduction<Place>(
  tree: FileTree<Place>,
  folders: readonly Place[],
  { name, connection, deployments }: DeployedEndpoint,
  signal: AbortSignal,
): Promise<ReturnType<typeof productionOf>> {
  const found = await Promise.all(
    folders.map((folder) =>
      readManifests(tree, folder, signal).catch(() => {
        signal.throwIfAborted();
        return [];
      }),
    ),
  );
  const files = found.flat().map(({ path, content }) => ({
    content,
    language: path.endsWith('.json') ? ('json' as const) : ('yaml' as const),
  }));
  // A rollback has no environment.
  const last = deployments.find(({ started }) => started.action !== 'rollback');
  return productionOf(files, { name, connection, journaled: last?.started.environment });
}

/** An endpoint whose environment is not chosen. */
export interface PlacedEndpoint {
  /** Name of the endpoint. */
  readonly name: string;
  readonly connection: NamedConnection;
  /** Environment of its last deployment, which the journal names. */
  readonly journaled: string | undefined;
}

/**
 * Returns the environment of production that an endpoint is in, or undefined if it is in none: that of its manifest, or else that of the
 * journal, or else one with the connection of the endpoint.
 */
export function productionOf(
  files: readonly TextFile[],
  { name, connection, journaled }: PlacedEndpoint,
): Pick<FolderEnvironment, 'name' | 'production'> | undefined {
  const roots = files.flatMap(({ content, language }) =>
    'text' in content ? parseManifestFile(content.text, language).parts.map(({ root }) => root) : [],
  );
  const all = roots.flatMap((root) =>
    environmentsOf(root).map((environment) => ({
      ...environment,
      endpoint: nameOf({ root: manifestIn(environment, root) }),
    })),
  );
  const own = all.filter(
    (one) => one.endpoint === name && (one.connection === undefined || isNamed(one.connection, connection)),
  );
  const candidates = own.length > 0 ? own : all;
  const named = candidates.filter((one) => one.name === journaled);
  const isProduction = ({ production }: Pick<FolderEnvironment, 'production'>) => production;
  if (named.length > 0) return named.find(isProduction);
  if (own.length > 0) return own.find(isProduction);
  if (journaled === PRODUCTION) return { name: PRODUCTION, production: true };
  return all.find((one) => one.production && one.connection !== undefined && isNamed(one.connection, connection));
}
