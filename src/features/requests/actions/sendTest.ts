import type { Client } from '../../../client/client.ts';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { UserError } from '../../../kit/userError.ts';
import type { RouteEndpoint } from '../model/context.ts';
import type { ResponseExpectation } from '../model/expectation.ts';
import type { HttpFile, ParsedBlock } from '../model/httpFile.ts';
import { resolveRequest, resolveTemplate } from '../model/resolveRequest.ts';
import type { RequestFiles } from './requestBody.ts';
import { testRequest, type RequestTestResult } from './testRequest.ts';

/** A request of a file with expectations. */
export interface WrittenTest {
  readonly file: HttpFile;
  readonly block: ParsedBlock;
  readonly expect: ResponseExpectation;
  /** Files that the request refers to. */
  readonly files: RequestFiles;
  /** Name of the endpoint of requests that name none. */
  readonly defaultEndpoint: string | undefined;
}

export interface SentTest {
  /** Endpoints that the request can name. */
  readonly endpoints: readonly Endpoint[];
  readonly endpoint: Pick<Endpoint, 'timeout'>;
  /** As for `testRequest`. */
  readonly limitMs?: number | undefined;
  readonly endsAt?: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Replaces the variables of a request, sends it to its endpoint, and checks its response.
 *
 * @throws as `testRequest`; UserError if the request is invalid
 */
export async function sendTest(
  client: Client,
  { file, block, expect, files, defaultEndpoint }: WrittenTest,
  { endpoints, endpoint: { timeout }, ...limits }: SentTest,
): Promise<RequestTestResult> {
  const context = {
    endpoints: endpoints.map((one) => routeEndpointOf(client, one)),
    ...{ defaultEndpoint, now: client.context.clock.now(), random: Math.random },
  };
  const { request, problems } = resolveRequest(file, block, context);
  if (!request) throw new UserError(problems[0].message);
  const { body } = request;
  if (body?.kind !== 'file' || body.isTemplate !== true)
    return testRequest(client, { request, expect, files, timeout, ...limits });
  const template = resolveTemplate(file, new TextDecoder().decode(await files.read(body.path)), context);
  if ('problems' in template) throw new UserError(template.problems[0]?.message ?? `${body.path} has an error`);
  const resolved = { ...request, body: { kind: 'text', text: template.text } as const };
  return testRequest(client, { request: resolved, expect, files, timeout, ...limits });
}

/** Returns an endpoint that requests can name. */
export function routeEndpointOf({ context: { addresses } }: Client, { id, name, type }: Endpoint): RouteEndpoint {
  const isBalanced = type === 'LOAD_BALANCER';
  const base = isBalanced ? addresses.routes(id) : addresses.requests(id);
  return { id, name, type: isBalanced ? 'LOAD_BALANCER' : 'QUEUE', base };
}
