import type * as z from 'zod';

/** The four addresses of a connection; each operation belongs to one. */
export type AddressName = 'baseUrl' | 'restUrl' | 'queueUrl' | 'endpointHost';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Names in braces of a path template. */
type ParameterNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterNames<Rest>
  : never;
export type PathParameters<Path extends string> = Record<ParameterNames<Path>, string>;

/** A row of the operation table, which the client, the local platform, and the OpenAPI document use. */
export interface Operation {
  readonly method: Method;
  readonly address: AddressName;
  /** Template below the address, such as `/v2/serverless/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly query?: z.ZodObject;
  /** Alternative parameters, highest precedence first. Only the first one present is read; invalid values of the others are ignored. */
  readonly precedence?: { readonly header: string; readonly query: readonly string[] };
  /** Optional request headers by name. The handler of the operation validates them. */
  readonly headers?: Readonly<Record<string, z.ZodType>>;
  readonly body?: z.ZodType;
  /** Content type of a body that is a file rather than JSON. */
  readonly bodyType?: string;
  readonly success: {
    readonly status: number;
    /** Schema of the JSON response, or of the `data:` of each event if `events` is set. Omitted if the response has no body. */
    readonly body?: z.ZodType;
    readonly events?: true;
    /** Content type of a response that is a file rather than JSON. */
    readonly type?: string;
  };
  /** Documented error statuses, without 401 and 429, which every operation has. */
  readonly errors: readonly number[];
  /** Status of the response to a body or query that does not match its schema. */
  readonly invalid: 400 | 422;
  readonly errorFormat: ErrorFormat;
  /** Group in the OpenAPI document. */
  readonly tag?: string;
  /** Maximum number of calls per user and endpoint: in ten seconds, and concurrently. */
  readonly limit?: { readonly requests: number; readonly atOnce?: number };
}

/** Form of errors: problem+json (v2 management), `{message}` (v1), or a job (queue). */
export type ErrorFormat = 'problem' | 'message' | 'job';

/**
 * A call to a load-balanced endpoint. The worker defines the method, path, body, and response, so the call has no row in the operation
 * table.
 */
export interface RouteOperation {
  readonly methods: readonly Method[];
  readonly address: 'endpointHost';
  readonly summary: string;
  /** Error statuses of the balancer itself. A worker can respond with any status. */
  readonly errors: readonly number[];
  readonly tag?: string;
}

/** Returns the row with its literal types. */
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

/** Fills the encoded parameters into a path template. @throws Error if a parameter is missing */
export function fillPath(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name];
    if (value === undefined) throw new Error(`path parameter ${name} is missing for ${template}`);
    return encodeURIComponent(value);
  });
}
