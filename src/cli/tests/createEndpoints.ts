import { ApiError } from '../../client/apiError.ts';
import type { Client } from '../../client/client.ts';
import { variable } from '../../contract/environment.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import { createEndpoint, readDraft } from '../../features/manifest/actions/createEndpoint.ts';
import { UnresolvedReferencesError } from '../../features/manifest/actions/resolveBody.ts';
import type { ValueSource } from '../../account/secrets/envReferences.ts';
import type { SuiteEndpoint, SuiteProblem } from './suite.ts';

export interface CreatedEndpoints {
  readonly created: ReadonlyMap<SuiteEndpoint, Endpoint>;
  readonly problems: readonly SuiteProblem[];
}

/** Creates the endpoints of the valid manifests, one after the other. References in `env` have the values of environment variables. */
export async function createEndpoints(
  client: Client,
  endpoints: readonly SuiteEndpoint[],
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<CreatedEndpoints> {
  const values: ValueSource = {
    variable: (name) => variable(environment, name),
    secret: (name) => Promise.resolve(variable(environment, name)),
  };
  // A new platform has no store of endpoints to refresh.
  const store = { refresh: () => Promise.resolve() };
  const created = new Map<SuiteEndpoint, Endpoint>();
  const problems: SuiteProblem[] = [];
  for (const endpoint of endpoints.filter(({ isValid }) => isValid)) {
    try {
      const draft = await readDraft({ ...endpoint, target: 'local' });
      created.set(endpoint, await createEndpoint({ client, store, values }, draft, signal));
    } catch (error) {
      signal.throwIfAborted();
      problems.push({ path: endpoint.path, message: creationWords(error) });
    }
  }
  return { created, problems };
}

function creationWords(error: unknown): string {
  if (error instanceof UnresolvedReferencesError) {
    const names = [...new Set(error.references.map(({ name }) => name))];
    return `env has references without a value; set the environment variables ${names.join(', ')}`;
  }
  if (error instanceof ApiError && error.errors.length > 0)
    return `the endpoint cannot be created: ${error.errors.join('; ')}`;
  return `the endpoint cannot be created: ${(error as Error).message}`;
}
