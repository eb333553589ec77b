import * as l10n from '@vscode/l10n';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { operations } from '../../../contract/operations.ts';
import { ROUTE_ENVIRONMENT } from '../../../contract/route.ts';
import { oneLine } from '../../../text/shownText.ts';
import { ENDPOINT_PREFIX } from './variables.ts';

/** The parts of an endpoint that its example depends on. */
export type ExampleEndpoint = Pick<Endpoint, 'name' | 'type' | 'env'> & { readonly id?: string };

export interface DocumentOptions {
  /** Whether another endpoint has the same name, so that the ID is used. */
  readonly hasTwin?: boolean;
}

/** Returns the content of a new HTTP file for an endpoint: a worked example with explanations. */
export function requestDocument(endpoint: ExampleEndpoint, options: DocumentOptions = {}): string {
  const isQueue = endpoint.type !== 'LOAD_BALANCER';
  const base = `{{${ENDPOINT_PREFIX}${referenceOf(endpoint, options)}}}`;
  const requests = isQueue ? queue(base) : routes(base, endpoint);
  const head = [
    l10n.t`# Requests to ${oneLine(endpoint.name)}. Select "Send" above a request.`,
    l10n.t`# ${base} is the base address of the endpoint on the current connection.`,
    l10n.t('# The connection supplies the key. Do not write it into this file.'),
  ];
  return `${[...head, ...requests].join('\n')}\n`;
}

/** Returns the name of the endpoint, or its ID if the name cannot be used in a reference. */
function referenceOf({ name, id = name }: ExampleEndpoint, { hasTwin }: DocumentOptions): string {
  const isUsable = name !== '' && name.trim() === name && oneLine(name) === name && !/[{}]/.test(name);
  return isUsable && !hasTwin ? name : id;
}

function routes(base: string, { env }: ExampleEndpoint): string[] {
  return [
    ...[
      '',
      l10n.t('### Health'),
      l10n.t('# The load balancer sends requests to a worker once this path responds with 200.'),
    ],
    ...[`GET ${base}${healthPath(env)}`, ''],
    ...[l10n.t('### Send JSON'), l10n.t('# Replace the path with a route of your worker.')],
    ...[`POST ${base}/path`, 'Content-Type: application/json', '', '{', '  "name": "world"', '}'],
  ];
}

function healthPath(env: ExampleEndpoint['env']): string {
  const { name, default: fallback } = ROUTE_ENVIRONMENT.healthPath;
  const path: unknown = (env as Readonly<Record<string, unknown>> | undefined)?.[name];
  return typeof path === 'string' && /^\/[^\s{}?#]*$/.test(path) ? path : fallback;
}

function queue(base: string): string[] {
  return [
    ...[
      '',
      l10n.t('### Health'),
      l10n.t('# A queue endpoint takes jobs. This request returns the numbers of its jobs and workers.'),
    ],
    ...[`GET ${base}${belowEndpoint(operations.getEndpointHealth)}`, ''],
    ...[
      l10n.t('### Run a job'),
      l10n.t('# The response has the ID of the job. A job file (*.job.json) also follows the job.'),
    ],
    ...[
      `POST ${base}${belowEndpoint(operations.runJob)}`,
      'Content-Type: application/json',
      '',
      '{',
      '  "input": {',
      '    "prompt": "Hello"',
      '  }',
      '}',
    ],
  ];
}

/** Returns the path of an operation below the base address of a queue endpoint. */
function belowEndpoint({ path }: { readonly path: `/{endpointId}${string}` }): string {
  return path.slice('/{endpointId}'.length);
}
