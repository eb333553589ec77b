import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type * as z from 'zod';
import type { AddressName, AnswerOf, Operation, PathParameters } from '../../contract/operation.ts';
import { permissionFor } from '../../contract/permissions.ts';
import { shapeViolations } from '../../contract/violation.ts';
import { refuseViolations } from '../domain/refusal.ts';
import { checkAccess } from './access.ts';
import type { App, RequestContext } from './app.ts';
import { readBody } from './body.ts';

/** Where each address of the contract begins on the platform's one port. */
export const ADDRESS_PATHS: Readonly<Record<AddressName, string>> = {
  baseUrl: '',
  restUrl: '',
  queueUrl: '/queue/v2',
  endpointHost: '/endpoints/{endpoint_id}',
};

type ParsedQuery<Row extends Operation> = Row extends { query: infer Schema extends z.ZodObject }
  ? z.output<Schema>
  : undefined;
type ParsedBody<Row extends Operation> = Row extends { body: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** A request whose parts have passed the operation's schemas. */
export interface RouteRequest<Row extends Operation> {
  readonly parameters: PathParameters<Row['path']>;
  /** Whose resources it concerns. */
  readonly accountId: string;
  readonly query: ParsedQuery<Row>;
  readonly body: ParsedBody<Row>;
  readonly header: (name: string) => string | undefined;
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal;
}

/** What an event stream is answered with instead of a body. */
export class EventStream {
  readonly stream: ReadableStream<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.stream = stream;
  }
}

type Answer<Row extends Operation> = Row['success'] extends { events: true } ? EventStream : AnswerOf<Row>;

export type Handler<Row extends Operation> = (request: RouteRequest<Row>) => Promise<Answer<Row>> | Answer<Row>;

/**
 * Status of a body that is too large: invocations are documented to answer with 400 and not with 413 (interface document, Errors).
 */
const tooLargeStatus = ({ errorFormat }: Operation): 400 | 413 => (errorFormat === 'job' ? 400 : 413);

/** Largest body of an operation without a limit of its own, in bytes. */
const MAX_BODY_BYTES = 1_048_576;

/** Serves one row of the table: its method and path, its schemas, its statuses. */
export function route<Row extends Operation>(
  app: App,
  row: Row,
  handler: Handler<Row>,
  maxBodyBytes = MAX_BODY_BYTES,
): void {
  const path = honoPath(ADDRESS_PATHS[row.address] + row.path);
  const permission = permissionFor(row);
  const isCalled = row.errorFormat === 'job';
  // Public models have their name where others have the id.
  const [, publicEndpointId] = row.path.split('/');
  app.on(row.method, [path], async (context) => {
    const caller = context.get('caller');
    const parameters = context.req.param() as PathParameters<Row['path']>;
    const endpointId = isCalled ? (context.req.param('endpointId') ?? publicEndpointId) : undefined;
    checkAccess(caller, permission, endpointId);
    const left = row.limit && context.get('limits').enter(caller, row, endpointId ?? '');
    try {
      const answer = await handler({
        parameters,
        accountId: caller.accountId,
        query: parse(row, row.query, row.query && readQuery(context)) as ParsedQuery<Row>,
        body: parse(
          row,
          row.body,
          row.body && readJson(row, await readBody(context, maxBodyBytes, tooLargeStatus(row))),
        ) as ParsedBody<Row>,
        header: (name) => context.req.header(name),
        get signal() {
          return context.req.raw.signal;
        },
      });
      if (answer instanceof EventStream) return eventStream(answer.stream);
      if (answer === undefined) return context.body(null, 204);
      return context.json(answer, row.success.status as ContentfulStatusCode);
    } finally {
      left?.();
    }
  });
}

/** `{id}` of the contract is `:id` here. */
export function honoPath(template: string): string {
  return template.replace(/\{(\w+)\}/g, ':$1');
}

export function parse(row: Operation, schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  if (!parsed.success) throw refuseViolations(shapeViolations(parsed.error, row.invalid));
  return parsed.data;
}

export function readQuery(context: RequestContext): Record<string, string> {
  return context.req.query();
}

export function readJson(row: Operation, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const message = text.trim() === '' ? 'missing: a JSON body' : `is not JSON: ${(error as Error).message}`;
    throw refuseViolations([{ path: [], message, status: row.invalid }]);
  }
}

export function eventStream(stream: ReadableStream<Uint8Array>): Response {
  return new Response(stream, {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    },
  });
}
