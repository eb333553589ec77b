import type { ResolveContext } from './endpointLookup.ts';
import type { HttpFile, ParsedBlock, ResolvedRequest } from './httpFile.ts';
import { isError, problem, type HttpProblem } from './problem.ts';
import { checkBody, MAX_BODY, resolveBody } from './requestBody.ts';
import { resolveHeaders } from './requestHeaders.ts';
import { resolveUrl, ENDPOINT_VARIABLE, type Target } from './requestUrl.ts';
import { referencesIn } from './template.ts';
import { endpointIn, Variables } from './variables.ts';

export type { ResolveContext, RouteEndpoint } from './endpointLookup.ts';

/** A request that can be sent, with warnings, or the problems because of which it cannot. */
export type Resolution =
  | { readonly request: ResolvedRequest; readonly problems: readonly HttpProblem[] }
  | { readonly request?: undefined; readonly problems: readonly [HttpProblem, ...HttpProblem[]] };

/** Replaces the variables of a request and finds its endpoint. Problems are in the order of the text, errors first. */
export function resolveRequest(file: HttpFile, block: ParsedBlock, context: ResolveContext): Resolution {
  const variables = new Variables(file, context);
  const syntax = file.problems.filter(({ start }) => start >= block.start && start <= block.end);
  const target = resolveTarget(block, variables, context);
  const headers = resolveHeaders(block, variables);
  const type = checkBody(block, headers, variables);
  const body = resolveBody(block, headers, variables);
  const problems = inOrder([...syntax, ...variables.problems]);
  const [first, ...others] = problems;
  if (!target || !block.isValid || (first && isError(first)))
    // The list of problems is limited, so an invalid request can have none in it.
    return { problems: first ? [first, ...others] : [problem('tooManyProblems', block.requestLine, {})] };
  const { endpoint, path } = target;
  return {
    request: {
      ...{ name: block.name, endpointId: endpoint.id, endpointName: endpoint.name, endpointType: endpoint.type },
      ...{ method: block.method, path, body },
      headers: type === undefined ? headers : [...headers, { name: 'Content-Type', value: type }],
    },
    problems,
  };
}

/** Returns all problems of a file, in the order of the text. Problems that depend on unknown endpoints are not among them. */
export function checkHttpFile(file: HttpFile, context: ResolveContext): HttpProblem[] {
  const variables = new Variables(file, context);
  for (const { name } of file.variables) variables.value(name);
  for (const block of file.blocks) {
    if (block.isValid || block.url !== '') resolveTarget(block, variables, context);
    checkBody(block, resolveHeaders(block, variables), variables);
    for (const piece of block.method === 'GET' ? [] : block.bodyPieces) variables.check(piece);
  }
  return [...file.problems, ...variables.problems]
    .filter(({ code }) => code !== 'endpointsNotRead')
    .sort((a, b) => a.start - b.start);
}

/** Replaces the variables in the content of the file of a body, such as `<@ ./template.json`. Places of problems are those in the content. */
export function resolveTemplate(
  file: HttpFile,
  content: string,
  context: ResolveContext,
): { readonly text: string } | { readonly problems: readonly HttpProblem[] } {
  const variables = new Variables(file, context);
  const text = variables.expand({ text: content, start: 0 }, Math.max(MAX_BODY, content.length));
  return text === undefined ? { problems: variables.problems } : { text };
}

function resolveTarget(block: ParsedBlock, variables: Variables, context: ResolveContext): Target | undefined {
  if (block.url === '') return undefined;
  const target = resolveUrl(block, variables, context);
  if (target?.endpoint.type !== 'QUEUE' || block.method !== 'WEBSOCKET') return target;
  variables.add('queueWebSocket', block.methodSpan ?? block.requestLine, { name: target.endpoint.name });
  return undefined;
}

function inOrder(problems: readonly HttpProblem[]): HttpProblem[] {
  return problems.toSorted((a, b) => Number(isError(b)) - Number(isError(a)) || a.start - b.start);
}

/** Returns whether a request is written for an endpoint, rather than for another service. */
export function namesEndpoint(file: HttpFile, block: ParsedBlock, context: ResolveContext): boolean {
  if (block.urlPieces.some((piece) => referencesIn(piece).some(endpointIn))) return true;
  return resolveTarget(block, new Variables(file, context), context) !== undefined;
}

/** Returns the names and IDs of endpoints in a file, and whether a request has only a path without naming an endpoint. */
export function endpointsNamedIn({ blocks, variables }: HttpFile): {
  readonly named: ReadonlySet<string>;
  readonly usesDefault: boolean;
} {
  const pieces = [...blocks.flatMap(({ urlPieces }) => urlPieces), ...variables.map(({ value }) => value)];
  const named = new Set(
    pieces.flatMap((piece) => referencesIn(piece).flatMap((reference) => endpointIn(reference)?.name ?? [])),
  );
  const own = variables.findLast(({ name }) => name === ENDPOINT_VARIABLE)?.value.text;
  if (own !== undefined && !own.includes('{{')) named.add(own);
  return { named, usesDefault: own === undefined && blocks.some(({ url }) => url.startsWith('/')) };
}
