import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../client/client.ts';
import type { Endpoint } from '../../contract/endpoint.ts';
import type { RequestFiles } from '../../features/requests/actions/requestBody.ts';
import { testRequest, type RequestTestResult } from '../../features/requests/actions/testRequest.ts';
import type { RouteEndpoint } from '../../features/requests/model/context.ts';
import { resolveRequest, resolveTemplate } from '../../features/requests/model/resolveRequest.ts';
import type { RequestTest } from './suite.ts';

export interface SentTest {
  readonly endpoints: readonly Endpoint[];
  readonly endpoint: Endpoint;
  readonly limitMs?: number | undefined;
  readonly signal: AbortSignal;
}

/** Sends the request of a test to its endpoint, and checks its response. @throws as `testRequest`; Error if the request is invalid */
export async function sendTest(
  client: Client,
  { file, block, expect, place, defaultEndpoint }: RequestTest,
  { endpoints, endpoint, limitMs, signal }: SentTest,
): Promise<RequestTestResult> {
  const context = {
    endpoints: endpoints.map((one) => routeEndpointOf(client, one)),
    ...{ defaultEndpoint, now: client.context.clock.now(), random: Math.random },
  };
  const { request, problems } = resolveRequest(file, block, context);
  if (!request) throw new Error(problems[0].message);
  const files = filesBeside(place);
  const { body } = request;
  if (body?.kind !== 'file' || body.isTemplate !== true)
    return testRequest(client, { request, expect, files, timeout: endpoint.timeout, limitMs, signal });
  const template = resolveTemplate(file, new TextDecoder().decode(await files.read(body.path)), context);
  if ('problems' in template) throw new Error(template.problems[0]?.message ?? `${body.path} has an error`);
  const resolved = { ...request, body: { kind: 'text', text: template.text } as const };
  return testRequest(client, { request: resolved, expect, files, timeout: endpoint.timeout, limitMs, signal });
}

/** Returns an endpoint that requests can name. */
export function routeEndpointOf({ context: { addresses } }: Client, { id, name, type }: Endpoint): RouteEndpoint {
  const isBalanced = type === 'LOAD_BALANCER';
  const base = isBalanced ? addresses.routes(id) : addresses.requests(id);
  return { id, name, type: isBalanced ? 'LOAD_BALANCER' : 'QUEUE', base };
}

/** Returns the files that the requests of a file at a path can refer to. */
export function filesBeside(place: string): RequestFiles {
  const resolved = (file: string) => path.resolve(path.dirname(place), file);
  return {
    size: async (file) => (await stat(resolved(file))).size,
    read: async (file) => new Uint8Array(await readFile(resolved(file))),
  };
}
