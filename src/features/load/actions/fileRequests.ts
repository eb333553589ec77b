import * as l10n from '@vscode/l10n';
import type { Clock } from '../../../client/clock.ts';
import type { RouteRequest } from '../../../client/routeRequest.ts';
import { UserError } from '../../../kit/userError.ts';
import { shown } from '../../../text/shownText.ts';
import { lineAndColumn } from '../../jobs/model/jobInput.ts';
import { readBody, sentHeaders, type RequestFiles } from '../../requests/actions/requestBody.ts';
import type { ResolveContext } from '../../requests/model/endpointLookup.ts';
import type { HttpFile, ParsedBlock, ResolvedRequest } from '../../requests/model/httpFile.ts';
import { resolveRequest, resolveTemplate } from '../../requests/model/resolveRequest.ts';
import type { NextRequest } from './loadTarget.ts';

export interface RequestSource {
  readonly file: HttpFile;
  /** Position of the only request to send. Undefined: all, in turn, without WebSockets. */
  readonly index?: number | undefined;
  /** Files that the requests refer to. Each one is read once. */
  readonly files: RequestFiles;
  readonly context: Omit<ResolveContext, 'now'>;
  readonly clock: Pick<Clock, 'now'>;
}

export interface LoadedRequests {
  readonly endpointId: string;
  readonly next: NextRequest;
}

/**
 * Checks the requests of a file, and returns a function that returns them in turn. Their variables have new values each time.
 *
 * @throws UserError if a request cannot be sent, or if the requests have different endpoints
 */
export async function requestsOf({ file, index, files, context, clock }: RequestSource): Promise<LoadedRequests> {
  const blocks = file.blocks.filter((block, at) => (index === undefined ? block.method !== 'WEBSOCKET' : at === index));
  const prepared: Prepared[] = [];
  const now = () => ({ ...context, now: clock.now() });
  for (const block of blocks) prepared.push(await prepare(file, block, files, now));
  const [first] = prepared;
  if (!first) throw new UserError(l10n.t('the file has no request for a load test'));
  const { endpointId } = first();
  if (prepared.some((request) => request().endpointId !== endpointId))
    throw new UserError(l10n.t('the requests of a load test must have the same endpoint'));
  let sent = 0;
  return { endpointId, next: () => (prepared[sent++ % prepared.length] ?? first)() };
}

/** Returns a request with new values of its variables. */
type Prepared = () => RouteRequest;

async function prepare(
  file: HttpFile,
  block: ParsedBlock,
  files: RequestFiles,
  now: () => ResolveContext,
): Promise<Prepared> {
  const resolve = (): ResolvedRequest => {
    const { request, problems } = resolveRequest(file, block, now());
    if (!request) throw problemError(file.text, problems[0]);
    return request;
  };
  const sample = resolve();
  if (sample.method === 'WEBSOCKET') throw new UserError(l10n.t('a load test cannot open a WebSocket'));
  const { body } = sample;
  if (body?.kind !== 'file') {
    await readBody(sample, files);
    return () => routeRequest(resolve(), undefined);
  }
  const content = await readBody({ ...sample, body: { kind: 'file', path: body.path } }, files);
  if (body.isTemplate !== true || typeof content === 'string') return () => routeRequest(resolve(), content);
  const text = new TextDecoder().decode(content);
  return () => {
    const template = resolveTemplate(file, text, now());
    if ('problems' in template)
      throw new UserError(shown`${body.path}: ${template.problems[0]?.message ?? l10n.t('it has an error')}`);
    return routeRequest(resolve(), template.text);
  };
}

function routeRequest(
  { method, endpointId, endpointType, path, headers, body: own }: ResolvedRequest,
  given: RouteRequest['body'],
): RouteRequest {
  if (method === 'WEBSOCKET') throw new UserError(l10n.t('a load test cannot open a WebSocket'));
  const text = own?.kind === 'text' && own.text !== '' ? own.text : undefined;
  const body = given ?? text;
  return { method, endpointId, endpointType, path, body, headers: sentHeaders(headers, body) };
}

function problemError(text: string, { start, message }: { readonly start: number; readonly message: string }) {
  const { line, column } = lineAndColumn(text, start);
  return new UserError(shown`line ${line}, column ${column}: ${message.replace(/\.$/, '')}`);
}
