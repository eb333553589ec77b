import { endpointNamed, endpointOfUrl, pathBelow, type ResolveContext, type RouteEndpoint } from './endpointLookup.ts';
import { spanOf, type ParsedBlock, type Piece } from './httpFile.ts';
import type { Span } from '../../../text/span.ts';
import { templateParts } from './template.ts';
import { endpointIn, type Variables } from './variables.ts';

/** Maximum length of a URL, in UTF-16 code units. */
const MAX_URL = 16_384;
/** Variable of a file that names the endpoint of requests with only a path. */
export const ENDPOINT_VARIABLE = 'endpoint';

/** The target of a request. */
export interface Target {
  readonly endpoint: RouteEndpoint;
  /** Path and query below the base address. Starts with `/`. */
  readonly path: string;
}

/** Returns the place of a URL. */
function urlSpan({ urlPieces, requestLine }: Pick<ParsedBlock, 'urlPieces' | 'requestLine'>): Span {
  const [first, last] = [urlPieces[0], urlPieces.at(-1)];
  if (!first || !last || first.text === '') return requestLine;
  return { start: first.start, end: last.start + last.text.length };
}

/** Resolves the URL of a request. Returns undefined after a problem. The key is only sent below the address of an endpoint. */
export function resolveUrl(block: ParsedBlock, variables: Variables, context: ResolveContext): Target | undefined {
  const span = urlSpan(block);
  const [first, ...others] = block.urlPieces;
  if (!first) return undefined;
  const [start] = templateParts(first);
  const named = start && 'reference' in start ? endpointIn(start.reference) : undefined;
  if (start && 'reference' in start && named) {
    const rest = first.text.slice(start.reference.end - first.start);
    const written = expandAll([{ text: rest, start: start.reference.end }, ...others], variables, span);
    const found = endpointNamed(named.name, context, named.name === '' ? start.reference : named);
    if ('problem' in found) variables.report(found.problem);
    return 'endpoint' in found && written !== undefined ? below(found.endpoint, written, variables, span) : undefined;
  }
  const written = expandAll(block.urlPieces, variables, span);
  if (written === undefined) return undefined;
  if (isPath(written)) {
    const endpoint = defaultEndpoint(variables, context, span);
    return endpoint && below(endpoint, written, variables, span);
  }
  const target = targetOfUrl(written, block, context);
  if (target) return target;
  if (!/^[a-z][a-z\d+.-]*:/i.test(written) && !written.startsWith('//'))
    variables.add('invalidPath', span, { path: written });
  else if (!context.endpoints) variables.add('endpointsNotRead', span, { name: written });
  else variables.add('foreignUrl', span, { url: written });
  return undefined;
}

function isPath(text: string): boolean {
  return text.startsWith('/') && !text.startsWith('//');
}

function expandAll(pieces: readonly Piece[], variables: Variables, span: Span): string | undefined {
  const texts = pieces.map((piece) => variables.expand(piece, MAX_URL));
  if (texts.includes(undefined)) return undefined;
  const text = texts.join('');
  if (text.length <= MAX_URL) return text;
  variables.add('tooLong', span, { max: MAX_URL });
  return undefined;
}

function defaultEndpoint(variables: Variables, context: ResolveContext, span: Span): RouteEndpoint | undefined {
  const definition = variables.definition(ENDPOINT_VARIABLE);
  const name = definition ? variables.value(ENDPOINT_VARIABLE) : context.defaultEndpoint;
  if (name === undefined || name === '') {
    if (!definition || name === '')
      variables.add('endpointNotNamed', definition ?? span, {
        known: (context.endpoints ?? []).map((one) => one.name),
      });
    return undefined;
  }
  const url = URL.parse(name);
  const byUrl = url && context.endpoints ? endpointOfUrl(url, context.endpoints)?.endpoint : undefined;
  if (byUrl) return byUrl;
  const found = endpointNamed(name, context, definition ? spanOf(definition.value) : span);
  if ('endpoint' in found) return found.endpoint;
  variables.report(found.problem);
  return undefined;
}

/** Returns the path below an endpoint. Path segments such as `..` must not leave the endpoint, because the request contains the key. */
function below(endpoint: RouteEndpoint, written: string, variables: Variables, span: Span): Target | undefined {
  const path = written === '' || written.startsWith('?') || written.startsWith('#') ? `/${written}` : written;
  if (!path.startsWith('/')) {
    variables.add('invalidPath', span, { path: written });
    return undefined;
  }
  const base = URL.parse(endpoint.base);
  const url = URL.parse(endpoint.base + path);
  const found = base && url ? pathBelow(base, url) : undefined;
  if (found !== undefined && url && base && staysBelow(endpoint.base, base, path))
    return { endpoint, path: found + url.search };
  variables.add('pathOutside', span, { path: written });
  return undefined;
}

/** Returns whether a path also stays below the endpoint if a server decodes its slashes. */
function staysBelow(address: string, base: URL, path: string): boolean {
  const [beforeQuery = ''] = path.split(/[?#]/, 1);
  const decoded = URL.parse(address + beforeQuery.replaceAll(/%(?:2f|5c)/gi, '/'));
  return decoded !== null && pathBelow(base, decoded) !== undefined;
}

function targetOfUrl(written: string, { method }: ParsedBlock, { endpoints }: ResolveContext): Target | undefined {
  const address = method === 'WEBSOCKET' ? written.replace(/^ws(s?):/i, 'http$1:') : written;
  const url = URL.parse(address);
  const found = url && endpoints ? endpointOfUrl(url, endpoints) : undefined;
  const base = found && URL.parse(found.endpoint.base);
  const isBelow = found && base && staysBelow(found.endpoint.base, base, found.path);
  return isBelow ? { endpoint: found.endpoint, path: found.path } : undefined;
}
