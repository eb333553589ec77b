import type { Socket } from 'node:net';
import type * as z from 'zod';
import type { AddressName, AnswerOf, Operation, PathParameters } from '../../contract/operation.ts';
import { permissionFor } from '../../contract/permissions.ts';
import { checkShape } from '../../contract/shapeCheck.ts';
import { TRACE_PARENT_HEADER } from '../../contract/headers.ts';
import { LARGE_BYTES } from '../domain/largeJson.ts';
import { refuseViolations, Refusal } from '../domain/refusal.ts';
import { readTraceParent, traceParent } from '../domain/traceContext.ts';
import { events, json, jsonStream, NO_CONTENT, type Answer as HttpAnswer } from '../http/answer.ts';
import { readBytes, parseBody, parseJson, type ParsedBody as ParsedJson } from '../http/jsonBody.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Delivery } from '../queue/deliveries.ts';
import type { Submission } from '../queue/jobQueue.ts';
import { checkAccess, whileAdmitted } from './access.ts';
import type { App } from './services.ts';
import { IDEMPOTENCY_KEY_HEADER, isIdempotencyKey, MAX_IDEMPOTENCY_KEY_LENGTH } from '../../contract/job.ts';

/** Path prefixes of the contract's addresses on the platform's single port. */
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

/** A request that matches the schemas of its operation. */
export interface RouteRequest<Row extends Operation> {
  readonly parameters: PathParameters<Row['path']>;
  /** ID of the account whose resources the request concerns. */
  readonly accountId: string;
  readonly query: ParsedQuery<Row>;
  readonly body: ParsedBody<Row>;
  /** Its members are not repeated here as getters: V8 keeps an object literal that has a getter until the next full garbage collection. */
  readonly exchange: Exchange;
}

/** A response with a stream of server-sent events. */
export class EventStream {
  readonly stream: ReadableStream<Uint8Array>;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.stream = stream;
  }
}

/** A JSON response with a status that the worker chose. */
export class StatusAnswer {
  readonly status: number;
  readonly body: unknown;

  constructor(status: number, body: unknown) {
    this.status = status;
    this.body = body;
  }
}

/** A JSON response that is streamed while it is generated, because it can be long. */
export class JsonStream {
  readonly text: AsyncIterable<string>;

  constructor(text: AsyncIterable<string>) {
    this.text = text;
  }
}

type Answer<Row extends Operation> = Row['success'] extends { events: true } ? EventStream : AnswerOf<Row> | JsonStream;

export type Handler<Row extends Operation> = (request: RouteRequest<Row>) => Promise<Answer<Row>> | Answer<Row>;

/**
 * Status for a body that is too large. Invocations have no 413 (docs/contributing/interface-conformance.md, "Errors, invocation status codes").
 */
const tooLargeStatus = ({ errorFormat }: Operation): 400 | 413 => (errorFormat === 'job' ? 400 : 413);

/** Maximum size of a body in bytes, for operations without their own limit. */
const MAX_BODY_BYTES = 1_048_576;

interface BodyOptions {
  readonly maxBodyBytes?: number;
  /** Parses a body of at least `LARGE_BYTES`. Default: parses it as any other. */
  readonly parseLarge?: (bytes: Buffer, invalid: Operation['invalid']) => Promise<ParsedJson>;
}

/** Serves one row of the operation table: its method and path, its schemas, and its status codes. */
export function route<Row extends Operation>(
  app: App,
  row: Row,
  handler: Handler<Row>,
  { maxBodyBytes = MAX_BODY_BYTES, parseLarge }: BodyOptions = {},
): void {
  const permission = permissionFor(row);
  const isInvocation = row.errorFormat === 'job';
  // The path of a public model contains its name in place of an ID.
  const [, publicEndpointId] = row.path.split('/');
  const parseBytes = (bytes: Buffer, schema: z.ZodType): Promise<ParsedJson> | ParsedJson =>
    parseLarge && bytes.byteLength >= LARGE_BYTES
      ? parseLarge(bytes, row.invalid)
      : parseBody(bytes.toString('utf8'), schema, row.invalid);
  app.on(row.method, ADDRESS_PATHS[row.address] + row.path, async (exchange, admission) => {
    if (!admission) throw new Error(`${row.path} is served without authentication`);
    const { caller, limits, watch } = admission;
    const parameters = exchange.parameters as PathParameters<Row['path']>;
    const endpointId = isInvocation ? (exchange.parameters['endpointId'] ?? publicEndpointId) : undefined;
    checkAccess(caller, permission, endpointId);
    const leave = row.limit && limits.enter(caller, row, endpointId ?? '');
    try {
      const answer = await handler({
        parameters,
        accountId: caller.accountId,
        query: parse(row, row.query, row.query && queryOf(row, exchange)) as ParsedQuery<Row>,
        body: (row.body &&
          valueOf(
            await parseBytes(await readBytes(exchange, maxBodyBytes, tooLargeStatus(row)), row.body),
          )) as ParsedBody<Row>,
        exchange,
      });
      return answer instanceof EventStream ? events(whileAdmitted(answer.stream, watch)) : answerOf(row, answer);
    } finally {
      leave?.();
    }
  });
}

/** Removes query parameters that another parameter overrides. Ignores an empty header, which some clients send before they have an ID. */
function queryOf({ precedence }: Operation, exchange: Exchange): Record<string, string> {
  const { query } = exchange;
  if (!precedence) return query;
  const header = exchange.header(precedence.header) ?? '';
  const strongest = header === '' ? precedence.query.find((name) => query[name] !== undefined) : undefined;
  const ignored = precedence.query.filter((name) => name !== strongest);
  return Object.fromEntries(Object.entries(query).filter(([name]) => !ignored.includes(name)));
}

/** Converts the return value of a handler to an HTTP answer. */
export function answerOf(row: Operation, answer: unknown): HttpAnswer {
  if (answer instanceof EventStream) return events(answer.stream);
  if (answer instanceof StatusAnswer) return json(answer.body, answer.status);
  if (answer instanceof JsonStream) return jsonStream(answer.text, row.success.status);
  return answer === undefined ? NO_CONTENT : json(answer, row.success.status);
}

export function parse(row: Operation, schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const { data, violations } = checkShape(schema, value, row.invalid);
  if (violations.length > 0) throw refuseViolations(violations);
  return data;
}

export function readJson(row: Operation, text: string): unknown {
  return valueOf(parseJson(text, row.invalid));
}

/** @throws Refusal */
function valueOf(parsed: ParsedJson): unknown {
  if ('violations' in parsed) throw refuseViolations(parsed.violations);
  return parsed.value;
}

/** Returns how a request submits a job. @throws Refusal 400 for an invalid key */
export function submissionOf(exchange: Exchange, kind: Submission['kind']): Submission {
  return { kind, key: submissionKey(exchange), traceParent: callerTrace(exchange) };
}

/** Returns the `traceparent` of the caller in version 00, or undefined if it is absent or invalid. */
export function callerTrace(exchange: Exchange): string | undefined {
  const caller = readTraceParent(exchange.header(TRACE_PARENT_HEADER));
  return caller && traceParent(caller);
}

/** Returns the key of a submission, or undefined if the request has none. @throws Refusal 400 */
function submissionKey(exchange: Exchange): string | undefined {
  const key = exchange.header(IDEMPOTENCY_KEY_HEADER);
  if (key === undefined || isIdempotencyKey(key)) return key;
  const allowed = `1 to ${MAX_IDEMPOTENCY_KEY_LENGTH} visible ASCII characters`;
  throw new Refusal(400, `the header ${IDEMPOTENCY_KEY_HEADER} must have ${allowed}`);
}

/** Ends the last delivery on a connection as arrived. Set from the end of its response until the next response or the connection's end. */
const provers = new WeakMap<Socket, () => void>();

/**
 * Ends a delivery with its response. Neither a response that was not sent completely nor one whose caller resets the connection has arrived.
 * The next response on the connection, or its regular end, shows that the response has arrived.
 */
export function deliver({ incoming: { socket, method }, outgoing }: Exchange, delivery: Delivery): void {
  provers.get(socket)?.();
  if (method === 'HEAD' || outgoing.closed) {
    delivery.returned();
    return;
  }
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) {
      delivery.returned();
      return;
    }
    delivery.sent();
    const settle = (): void => {
      socket.off('error', settle).off('close', settle);
      provers.delete(socket);
      if (socket.errored) delivery.returned();
      else delivery.arrived();
    };
    provers.set(socket, settle);
    if (socket.closed) settle();
    else socket.on('error', settle).on('close', settle);
  });
}
