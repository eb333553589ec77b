import type { JournaledDeployment } from '../model/deployment/journal.ts';
import { productionOf, type PlacedEndpoint } from '../model/patched/productionOf.ts';
import { readManifests, type FileTree } from './readManifests.ts';

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
