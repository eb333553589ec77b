import { PRODUCTION } from '../../../../contract/environmentNames.ts';
import { nameOf } from '../deployment/matchEndpoint.ts';
import { parseManifestFile } from '../text/parse.ts';
import { isNamed, type NamedConnection } from './connectionMatch.ts';
import { environmentsOf, manifestIn } from './environmentsOf.ts';
import type { FolderEnvironment, TextFile } from './folderEnvironments.ts';

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
