import * as fc from 'fast-check';
import { controlDocument, openApiDocument } from '../../src/contract/openapi.ts';

/* Nearly valid requests: generated from the OpenAPI document, then mutated in one to three ways. */

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> };
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly minimum?: number;
}

export interface FuzzRequest {
  readonly operation: string;
  readonly method: string;
  /** Raw request target: path and query, exactly as sent. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
  /** True if the body is sent with broken chunked framing. */
  readonly brokenChunks: boolean;
}

interface Plan {
  method: string;
  path: string;
  query: [string, string][];
  headers: [string, string][];
  body: unknown;
  raw: Buffer | undefined;
  brokenChunks: boolean;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation | unknown[]>>>>;
  readonly components: { readonly schemas?: Readonly<Record<string, Schema>> };
}

const document = openApiDocument() as unknown as Document;
const control = controlDocument() as unknown as Document;

/** Operations that would end the test or affect its results. */
const NOT_FUZZED = ['stopPlatform', 'reset', 'setClock', 'addFault', 'exportSnapshot'];

/** Returns the path prefix of an operation's server on the platform's port. */
const prefixOf = (item: Readonly<Record<string, unknown>>): string => {
  const url = (item['servers'] as { url: string }[] | undefined)?.[0]?.url ?? '';
  return url.includes('queue')
    ? '/queue/v2'
    : url.includes('endpoint_id') || url.includes('endpointHost')
      ? '/endpoints/nothing'
      : '';
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

interface Target {
  readonly method: string;
  readonly path: string;
  readonly operation: DocumentedOperation;
}

export const targets: readonly Target[] = Object.entries({ ...document.paths, ...control.paths }).flatMap(
  ([path, item]) =>
    METHODS.filter(
      (method) => method in item && !NOT_FUZZED.includes((item[method] as DocumentedOperation).operationId),
    ).map((method) => ({
      method: method.toUpperCase(),
      path: prefixOf(item) + path,
      operation: item[method] as DocumentedOperation,
    })),
);

function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined
    ? schema
    : resolved({ ...document.components.schemas, ...control.components.schemas }[name] ?? {});
}

/** Generates values that nearly match the schema. */
function valueOf(given: Schema, depth = 0): fc.Arbitrary<unknown> {
  const schema = resolved(given);
  const options = schema.anyOf ?? schema.oneOf;
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (depth > 6) return fc.constant(null);
  if (options && options.length > 0) return fc.oneof(...options.map((option) => valueOf(option, depth + 1)));
  const type = Array.isArray(schema.type) ? (schema.type as string[])[0] : schema.type;
  switch (type) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(
        ([name, member]) => [name, valueOf(member, depth + 1)] as const,
      );
      return fc.record(Object.fromEntries(members), { requiredKeys: [...(schema.required ?? [])] });
    }
    case 'array':
      return fc.array(valueOf(schema.items ?? {}, depth + 1), { maxLength: 3 });
    case 'integer':
    case 'number':
      return fc.nat(100).map((value) => Math.ceil(schema.minimum ?? 0) + value);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return fc.constantFrom('a', 'hello', 'registry.example.com/image:1', '2026-01-01T00:00:00Z', 'DEU-1');
    default:
      return fc.constantFrom<unknown>(null, 1, 'text', { a: 1 }, [1]);
  }
}

/** Strings that often break parsers, stores, and terminals. */
export const hostileStrings = fc.oneof(
  fc.constantFrom(
    ...[
      '__proto__',
      'constructor',
      'prototype',
      'hasOwnProperty',
      'toString',
      '\0',
      'a\0b',
      '../../etc/passwd',
      '..%2f..',
      '%',
    ],
    ...[
      '%00',
      '%zz',
      '%ff%fe',
      "'; DROP TABLE jobs; --",
      '${7*7}',
      '{{7*7}}',
      '<script>',
      '\u202e',
      '\ud800',
      '🦜'.repeat(50),
    ],
    ...[
      'NaN',
      'Infinity',
      '-0',
      '1e999',
      '9'.repeat(400),
      '0x10',
      'true',
      'null',
      '',
      ' ',
      '\t\r\n',
      'a'.repeat(20_000),
    ],
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const hostileValues = fc.oneof(
  hostileStrings,
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER + 2, [], {}, [[]], [null]),
  fc.jsonValue({ maxDepth: 3 }),
);

/** JSON texts of very deep or wide values. */
const hugeJson = fc.constantFrom(
  '['.repeat(50_000) + ']'.repeat(50_000),
  '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
  `{${Array.from({ length: 5_000 }, (_, index) => `"k${index}":0`).join()}}`,
  `[${'0,'.repeat(50_000)}0]`,
  `{"input":"${'x'.repeat(300_000)}"}`,
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
);

const brokenText = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '}',
    '{"a":}',
    '[1,]',
    '{"a":1',
    "{'a':1}",
    '\ufeff{}',
    'null',
    '"text"',
    '7',
    '{"a":1}{"b":2}',
    'NaN',
    '<xml/>',
    'a=b&c=d',
    '---\na: 1',
  ),
  fc.string({ maxLength: 50 }),
);

type Mutation = fc.Arbitrary<(plan: Plan) => void>;

/** Replaces a part of a value, at a position that depends on `at`. */
function withReplacedPart(value: unknown, at: number, replacement: unknown): unknown {
  if (value === null || typeof value !== 'object') return replacement;
  const keys = Object.keys(value);
  const key = keys[at % Math.max(1, keys.length)];
  if (key === undefined || at % 5 === 0) return replacement;
  const inner = withReplacedPart((value as Record<string, unknown>)[key], Math.floor(at / 2), replacement);
  return Array.isArray(value)
    ? value.map((item: unknown, index) => (String(index) === key ? inner : item))
    : { ...value, [key]: inner };
}

const mutations: readonly Mutation[] = [
  fc.tuple(fc.nat(10_000), hostileValues).map(
    ([at, value]) =>
      (plan) =>
        void (plan.body = withReplacedPart(plan.body, at, value)),
  ),
  fc.tuple(hostileStrings, hostileValues).map(([name, value]) => (plan) => {
    // An assignment to a name such as __proto__ would not create a property.
    if (plan.body !== null && typeof plan.body === 'object')
      plan.body = Object.defineProperty({ ...plan.body }, name, { value, enumerable: true });
  }),
  hugeJson.map((text) => (plan) => void (plan.raw = Buffer.from(text))),
  brokenText.map((text) => (plan) => void (plan.raw = Buffer.from(text))),
  fc.uint8Array({ maxLength: 200 }).map((bytes) => (plan) => void (plan.raw = Buffer.from(bytes))),
  fc.tuple(fc.nat(10), hostileStrings).map(([at, value]) => (plan) => {
    const [name] = plan.query[at % Math.max(1, plan.query.length)] ?? ['limit'];
    plan.query.push([name, value]);
  }),
  fc.tuple(hostileStrings, hostileStrings).map(
    ([name, value]) =>
      (plan) =>
        void plan.query.push([name, value]),
  ),
  fc.tuple(fc.nat(10), hostileStrings).map(([at, text]) => (plan) => {
    const parts = plan.path.split('/');
    parts[1 + (at % (parts.length - 1))] = encodeURIComponent(text.toWellFormed());
    plan.path = parts.join('/');
  }),
  fc
    .constantFrom('%zz', '%', '%ff', '//', '/./', '/../', '%2e%2e', '%00', '?', '#', ';')
    .map((text) => (plan) => void (plan.path += text)),
  fc
    .constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND')
    .map((method) => (plan) => void (plan.method = method)),
  fc
    .constantFrom('text/plain', 'application/xml', 'multipart/form-data', 'application/json; charset=utf-16', 'x', '')
    .map((type) => (plan) => void plan.headers.push(['Content-Type', type])),
  fc
    .constantFrom('gzip', 'br', 'identity, gzip', 'nonsense')
    .map((coding) => (plan) => void plan.headers.push(['Content-Encoding', coding])),
  fc
    .constantFrom(
      '',
      'Bearer',
      'Bearer ',
      'Basic eDp5',
      'Bearer a b',
      `Bearer ${'x'.repeat(5_000)}`,
      'Bearer ..',
      'Bearer a.b.c',
    )
    .map((value) => (plan) => void plan.headers.unshift(['Authorization', value])),
  fc
    .constantFrom('not-a-time', '2026-13-45T99:99:99Z', '9'.repeat(300), '__proto__')
    .map((value) => (plan) => void plan.headers.push(['Last-Event-ID', value])),
  fc
    .constantFrom('a.localhost', 'example.com', '', '127.0.0.1:1', '[::1]')
    .map((host) => (plan) => void plan.headers.push(['X-Fuzz-Host', host])),
  fc
    .constantFrom('null', 'https://evil.example', 'http://127.0.0.1')
    .map((origin) => (plan) => void plan.headers.push(['Origin', origin])),
  fc
    .constantFrom('team', '__proto__', 'x'.repeat(1_000))
    .map((team) => (plan) => void plan.headers.push(['X-Team-Id', team])),
  fc.constant((plan) => void (plan.brokenChunks = true)),
];

const PATH_VALUES = ['nothing', 'image-edit', 'hello', 'x'.repeat(64)];

/** Generates requests. @param ids IDs of existing resources, by path parameter */
export function requests(ids: Readonly<Record<string, string>>): fc.Arbitrary<FuzzRequest> {
  return fc.constantFrom(...targets).chain((target) => {
    const { operation } = target;
    const schema = operation.requestBody?.content['application/json']?.schema;
    const names = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    return fc
      .record({
        pathValue: fc.constantFrom(...PATH_VALUES),
        real: fc.boolean(),
        body: schema ? valueOf(schema) : fc.constant(undefined),
        query: fc.subarray(names),
        chosenMutations: fc.array(fc.oneof(...mutations), { minLength: 1, maxLength: 3 }),
      })
      .map(({ pathValue, real, body, query, chosenMutations }) => {
        const path = target.path.replace(
          /\{(\w+)\}/g,
          (_, name: string) => (real ? ids[name] : undefined) ?? pathValue,
        );
        const plan: Plan = {
          ...{ method: target.method, path, body, raw: undefined, brokenChunks: false },
          query: query.map((name) => [name, '1']),
          headers: [],
        };
        for (const mutate of chosenMutations) mutate(plan);
        return toRequest(operation.operationId, plan);
      });
  });
}

function toRequest(operation: string, { method, path, query, headers, body, raw, brokenChunks }: Plan): FuzzRequest {
  const parameters = new URLSearchParams(query).toString();
  const bytes = raw ?? (body === undefined ? undefined : Buffer.from(JSON.stringify(body)));
  return {
    ...{ operation, method, headers, brokenChunks, body: bytes },
    target: parameters === '' ? path : `${path}?${parameters}`,
  };
}
