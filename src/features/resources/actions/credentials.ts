import { ApiError } from '../../../client/apiError.ts';
import type { Client } from '../../../client/client.ts';
import { listAll } from '../../../client/listAll.ts';
import type { CallOptions } from '../../../client/request.ts';
import type { CreateRegistryBody, Registry } from '../../../contract/registry.ts';
import { perList } from '../../perList.ts';

/* Container registry credentials, wherever a platform has them: on the v2 API or, where that knows none (404), on v1. */

/** Clients whose platform has no credentials on v2; asked once. */
const withoutV2 = new WeakSet<Client>();

/** @throws ApiError */
export function listCredentials(client: Client, options?: CallOptions): Promise<readonly Registry[]> {
  return onEitherApi(
    client,
    () => listAll(client, 'listRegistries', {}, 'registries', options),
    () => client.listContainerRegistryAuths({}, options),
  );
}

/** The credentials, or undefined when the key may not list them. @throws ApiError */
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

/** @throws ApiError, whose texts do not hold the password or user name, whatever the service answered */
export async function createCredential(
  client: Client,
  body: CreateRegistryBody,
  options?: CallOptions,
): Promise<Registry> {
  try {
    return await onEitherApi(
      client,
      () => client.createRegistry({ body }, options),
      () => client.createContainerRegistryAuth({ body }, options),
    );
  } catch (error) {
    throw withoutSecrets(error, [body.password, body.username]);
  }
}

/** By the operation every platform has (interface document, Endpoints 8). @throws ApiError */
export async function deleteCredential(client: Client, id: string): Promise<void> {
  await client.deleteContainerRegistryAuth({ containerRegistryAuthId: id });
}

/** Who would miss a credential: whatever names it. */
export interface CredentialUsers {
  readonly endpoints: readonly string[];
  readonly templates: readonly string[];
  /** Why some may be missing. */
  readonly unknown: ApiError | undefined;
}

interface NamesRegistry {
  readonly name: string;
  readonly registry?: string | null | undefined;
}

const usersByRegistry = perList((things: readonly NamesRegistry[]) => Map.groupBy(things, ({ registry }) => registry));

/** The names of those that use the credential. */
export function usersAmong(things: readonly NamesRegistry[], registryId: string): string[] {
  return (usersByRegistry(things).get(registryId) ?? []).map(({ name }) => name);
}

/** Asks the platform who uses a credential now. A list that cannot be read is told, never taken for an empty one. */
export async function findUsers(client: Client, registryId: string, options?: CallOptions): Promise<CredentialUsers> {
  const [endpoints, templates] = await Promise.allSettled([
    listAll(client, 'listEndpoints', {}, 'endpoints', options),
    listAll(client, 'listTemplates', {}, 'templates', options),
  ]);
  const failures = [endpoints, templates].filter((result) => result.status === 'rejected');
  return {
    endpoints: endpoints.status === 'fulfilled' ? usersAmong(endpoints.value, registryId) : [],
    templates: templates.status === 'fulfilled' ? usersAmong(templates.value, registryId) : [],
    unknown: failures[0]?.reason as ApiError | undefined,
  };
}

async function onEitherApi<Answer>(client: Client, v2: () => Promise<Answer>, v1: () => Promise<Answer>) {
  if (withoutV2.has(client)) return v1();
  try {
    return await v2();
  } catch (error) {
    if (!(error instanceof ApiError) || error.kind !== 'notFound') throw error;
    const answer = await v1();
    withoutV2.add(client);
    return answer;
  }
}

function withoutSecrets(error: unknown, secrets: readonly string[]): unknown {
  if (!(error instanceof ApiError)) return error;
  const hide = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), text);
  const { operation, status, source, title, retryAfterMs } = error;
  // Without its cause, which is the answer itself.
  return new ApiError(error.kind, hide(error.message), {
    operation,
    status,
    source,
    title: title === undefined ? undefined : hide(title),
    errors: error.errors.map(hide),
    retryAfterMs,
  });
}
