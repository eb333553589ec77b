import type { IncomingMessage } from 'node:http';
import { LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import type { AnswerOf, Operation, PathParameters } from '../../contract/operation.ts';
import { violation } from '../../contract/violation.ts';
import { refuseViolations } from '../domain/refusal.ts';
import type { App } from '../http/app.ts';
import type { Answer } from '../http/answer.ts';
import { readBody } from '../http/jsonBody.ts';
import type { Exchange } from '../http/exchange.ts';
import { answerOf, parse, readJson, type EventStream } from '../routes/route.ts';

export interface ControlRequest<Row extends Operation> {
  readonly parameters: PathParameters<Row['path']>;
  readonly query: Row extends { query: infer Schema extends z.ZodObject } ? z.output<Schema> : undefined;
  readonly body: Row extends { body: infer Schema extends z.ZodType } ? z.output<Schema> : undefined;
  readonly incoming: IncomingMessage;
}

type ControlAnswer<Row extends Operation> = Row['success'] extends { events: true } ? EventStream : AnswerOf<Row>;

/** Maximum size of a body, in bytes. A seed may contain thousands of jobs. */
const MAX_BODY_BYTES = 32 * 1_048_576;

export type ControlApp = App<undefined>;

/** The callers of an operation. Default: only the owner. */
interface ControlAccess<Row extends Operation> {
  /** Whether the operation needs no key. */
  readonly open?: boolean;
  /** Admits other callers than the owner, before the rest of the request is read. @throws Refusal */
  readonly admit?: (incoming: IncomingMessage, parameters: PathParameters<Row['path']>) => Promise<unknown>;
}

/** Serves one operation of the control API. The content type of the body selects YAML or JSON. */
export function controlRoute<Row extends Operation>(
  app: ControlApp,
  row: Row,
  handler: (request: ControlRequest<Row>) => Promise<ControlAnswer<Row>> | ControlAnswer<Row>,
  { open = false, admit }: ControlAccess<Row> = {},
): void {
  const serve = async (exchange: Exchange): Promise<Answer> => {
    await admit?.(exchange.incoming, exchange.parameters as PathParameters<Row['path']>);
    const isYaml = /yaml/i.test(exchange.header('Content-Type') ?? '');
    const text = row.body && (await readBody(exchange, MAX_BODY_BYTES));
    const json = text === undefined ? undefined : isYaml ? readYaml(row, text) : readJson(row, text);
    const answer = await handler({
      parameters: exchange.parameters as PathParameters<Row['path']>,
      query: parse(row, row.query, row.query && exchange.query) as ControlRequest<Row>['query'],
      body: parse(row, row.body, json) as ControlRequest<Row>['body'],
      incoming: exchange.incoming,
    });
    return answerOf(row, answer);
  };
  app.on(row.method, row.path, serve, { open: open || admit !== undefined });
}

function readYaml(row: Operation, text: string): unknown {
  const refusal = (message: string): Error => refuseViolations([violation([], 'notYaml', { message }, row.invalid)]);
  const lineCounter = new LineCounter();
  // Pretty errors would copy the line of each error, which can be the whole text.
  const document = parseDocument(text, { prettyErrors: false, stringKeys: true, lineCounter });
  const [broken] = document.errors;
  if (broken) {
    const { line, col } = lineCounter.linePos(broken.pos[0]);
    throw refusal(`${broken.message} at line ${line}, column ${col}`);
  }
  try {
    // Limits aliases, so that a small text cannot expand to a large value.
    return document.toJS({ maxAliasCount: 1_000 });
  } catch (error) {
    throw refusal(String(error));
  }
}
