import type * as z from 'zod';

/** The four addresses of a connection; each operation belongs to one. */
export type AddressName = 'baseUrl' | 'restUrl' | 'queueUrl' | 'endpointHost';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The names between braces of a path template. */
type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
export type PathParameters<Path extends string> = Record<ParameterNames<Path>, string>;

/** One row of the table: everything about a call that client, local platform and OpenAPI document need to know. */
export interface Operation {
  readonly method: Method;
  readonly address: AddressName;
  /** Template below the address, such as `/v2/serverless/{id}`. */
  readonly path: string;
  readonly summary: string;
  /** Where it is specified: a section of the interface document, or of the facts beside it. */
  readonly section: string;
  readonly query?: z.ZodObject;
  /** Alternative parameters, highest precedence first. Only the first one present is read; invalid values of the others are ignored. */
  readonly precedence?: { readonly header: string; readonly query: readonly string[] };
  readonly body?: z.ZodType;
  /** Content type of a body that is a file rather than JSON. */
  readonly bodyType?: string;
  readonly success: {
    readonly status: number;
    /** Schema of the JSON answer, or of the `data:` of each event when `events` is set. None: the answer has no body. */
    readonly body?: z.ZodType;
    readonly events?: true;
    /** Content type of an answer that is a file rather than JSON. */
    readonly type?: string;
  };
  /** Documented error statuses beside 401 and 429, which every operation has. */
  readonly errors: readonly number[];
  /** Status of a request whose body or query breaks its schema. */
  readonly invalid: 400 | 422;
  readonly errorFormat: ErrorFormat;
  /** Group of the interface document it belongs to. */
  readonly tag?: string;
  /** How often a user may call it per endpoint: in ten seconds, and at once. */
  readonly limit?: { readonly requests: number; readonly atOnce?: number };
}

/** How errors are written: problem+json (v2 management), `{message}` (v1), or the job-shaped JSON of the queue. */
export type ErrorFormat = 'problem' | 'message' | 'job';

/**
 * A call whose method and path the worker defines (interface document, operation 5). It is no row of the table: there is no
 * method, path, body or answer to know before the call, so it has a type of its own.
 */
export interface RouteOperation {
  readonly methods: readonly Method[];
  readonly address: 'endpointHost';
  readonly summary: string;
  readonly section: string;
  /** Statuses the balancer itself answers with; a worker may answer with any. */
  readonly errors: readonly number[];
  readonly tag?: string;
}

/** Keeps the literal types of a row. */
export function operation<const Row extends Operation>(row: Row): Row {
  return row;
}

export type BodyOf<Row extends Operation> = Row extends { body: infer Schema extends z.ZodType }
  ? z.input<Schema>
  : undefined;
export type QueryOf<Row extends Operation> = Row extends { query: infer Schema extends z.ZodObject }
  ? z.input<Schema>
  : undefined;
export type AnswerOf<Row extends Operation> = Row['success'] extends { body: infer Schema extends z.ZodType }
  ? z.output<Schema>
  : undefined;

/** The path with its parameters filled in and encoded. */
export function fillPath(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`path parameter ${name} is missing for ${template}`);
    return encodeURIComponent(value);
  });
}
