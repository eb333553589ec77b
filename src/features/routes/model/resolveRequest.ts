import type { HttpBlock, ResolvedRequest } from './httpFile.ts';
import type { HttpFile } from './parseHttpFile.ts';

/* A minimal resolution of variables. The one of HTTP files replaces this file. */

export interface RouteEndpoint {
  readonly id: string;
  readonly name: string;
  readonly type: 'QUEUE' | 'LOAD_BALANCER';
  readonly base: string;
}

export interface ResolveContext {
  readonly endpoints: readonly RouteEndpoint[] | undefined;
  readonly defaultEndpoint?: string | undefined;
  readonly now: number;
  readonly random: () => number;
}

interface Problem {
  readonly start: number;
  readonly end: number;
  readonly message: string;
}

export type Resolution =
  | { readonly request: ResolvedRequest; readonly problems: readonly Problem[] }
  | { readonly request?: undefined; readonly problems: readonly [Problem, ...Problem[]] };

export function resolveRequest(_file: HttpFile, block: HttpBlock, { endpoints = [] }: ResolveContext): Resolution {
  const [, name, path = ''] = /^\{\{endpoint:([^}]+)\}\}(.*)$/.exec(block.url) ?? [];
  const endpoint = endpoints.find((one) => one.name === name || one.id === name);
  if (!endpoint) return { problems: [{ ...block.requestLine, message: 'There is no such endpoint.' }] };
  const { id: endpointId, name: endpointName, type: endpointType } = endpoint;
  const { method, headers, body } = block;
  return {
    request: { name: block.name, endpointId, endpointName, endpointType, method, path: path || '/', headers, body },
    problems: [],
  };
}

export function resolveTemplate(...[, content]: [HttpFile, string, ResolveContext]): { readonly text: string } {
  return { text: content };
}
