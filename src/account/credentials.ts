import { ApiError } from '../client/apiError.ts';
import type { Client } from '../client/client.ts';
import { listAll } from '../client/listAll.ts';
import type { CallOptions } from '../client/request.ts';
import type { CreateRegistryBody, Registry } from '../contract/registry.ts';
import { cachePerList } from '../kit/cachePerList.ts';
import { withoutSecrets } from './withoutSecrets.ts';

/* Container registry credentials. A platform has them on the v2 API or, if v2 responds with 404, on v1. */

/** Clients whose platform has no credentials on v2. Each platform is checked once. */
const clientsWithoutV2 = new WeakSet<Client>();

/** @throws ApiError */
export function listCredentials(client: Client, options?: CallOptions): Promise<readonly Registry[]> {
  return withV1Fallback(
    client,
    () => listAll(client, 'listRegistries', {}, 'registries', options),
    () => client.listContainerRegistryAuths({}, options),
  );
}

/** Returns the credentials, or undefined when the key has no permission to list them. @throws ApiError */
export async function listCredentialsIfAllowed(
  client: Client,
  options?: CallOptions,
): Promise<readonly Registry[] | undefined> {
  try {
    return await listCredentials(client, options);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'forbidden') return undefined;
    throw error;
  }
}

/** @throws ApiError without the password and user name, even if the response contains them */
export async function createCredential(
  client: Client,
  body: CreateRegistryBody,
  options?: CallOptions,
): Promise<Registry> {
  try {
    return await withV1Fallback(
      client,
      () => client.createRegistry({ body }, options),
      () => client.createContainerRegistryAuth({ body }, options),
    );
  } catch (error) {
    throw error instanceof ApiError ? withoutSecrets(error, [body.password, body.username]) : error;
  }
}

/** Deletes a credential with the v1 operation, which every platform has. @throws ApiError */
export async function deleteCredential(client: Client, id: string): Promise<void> {
  await client.deleteContainerRegistryAuth({ containerRegistryAuthId: id });
}

/** Names of the endpoints and templates that use a credential. */
export interface CredentialUsers {
  readonly endpoints: readonly string[];
  readonly templates: readonly string[];
  /** Error of a list that could not be read; names can then be missing. */
  readonly unknown: ApiError | undefined;
}

interface NamesRegistry {
  readonly name: string;
  readonly registry?: string | null | undefined;
}

const usersByRegistry = cachePerList((things: readonly NamesRegistry[]) =>
  Map.groupBy(things, ({ registry }) => registry),
);

/** Returns the names of the endpoints or templates that use the credential. */
export function namesUsingRegistry(things: readonly NamesRegistry[], registryId: string): string[] {
  return (usersByRegistry(things).get(registryId) ?? []).map(({ name }) => name);
}

/** Reads the endpoints and templates that use a credential. The result contains the error of a list that cannot be read. */
export async function findUsers(client: Client, registryId: string, options?: CallOptions): Promise<CredentialUsers> {
  const [endpoints, templates] = await Promise.allSettled([
    listAll(client, 'listEndpoints', {}, 'endpoints', options),
    listAll(client, 'listTemplates', {}, 'templates', options),
  ]);
  const failures = [endpoints, templates].filter((result) => result.status === 'rejected');
  return {
    endpoints: endpoints.status === 'fulfilled' ? namesUsingRegistry(endpoints.value, registryId) : [],
    templates: templates.status === 'fulfilled' ? namesUsingRegistry(templates.value, registryId) : [],
    unknown: failures[0]?.reason as ApiError | undefined,
  };
}

async function withV1Fallback<Answer>(client: Client, v2: () => Promise<Answer>, v1: () => Promise<Answer>) {
  if (clientsWithoutV2.has(client)) return v1();
  try {
    return await v2();
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    const answer = await v1();
    clientsWithoutV2.add(client);
    return answer;
  }
}
