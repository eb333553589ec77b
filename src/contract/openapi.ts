import * as z from 'zod';
import {
  createDocument,
  type CreateDocumentOptions,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import { componentSchemas } from './openapiComponents.ts';
import type { AddressName, ErrorFormat, Method, Operation, RouteOperation } from './operation.ts';
import { operations } from './operations.ts';
import { controlOperations } from './control/controlOperations.ts';
import { routeOperations } from './operations/routes.ts';
import { ENDPOINT_ID_PLACEHOLDER } from './route.ts';
import { MessageError, Problem, PROBLEM_CONTENT_TYPE, QueueError, RouteError } from './problem.ts';
import { LAST_EVENT_ID_HEADER } from './workerLogs.ts';

/*
 * Generates the OpenAPI 3.1 document from the operation table. This is the only module of the contract that imports a library other than
 * zod, so the extension must not load it.
 */

/** Addresses in a document without a platform. The names are reserved for examples. */
const EXAMPLE_ADDRESSES: Readonly<Record<AddressName, string>> = {
  baseUrl: 'https://api.example',
  restUrl: 'https://rest.example',
  queueUrl: 'https://queue.example/v2',
  endpointHost: `https://${ENDPOINT_ID_PLACEHOLDER}.endpoints.example`,
};

const ADDRESS_DESCRIPTIONS: Readonly<Record<AddressName, string>> = {
  baseUrl: 'Management API',
  restUrl: 'Management API, version 1',
  queueUrl: 'Queue-based invocation',
  endpointHost: 'Load-balanced invocation',
};

const STATUS_DESCRIPTIONS: Readonly<Record<number, string>> = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  204: 'The request succeeded. The response has no body.',
  400: 'The request violates a rule.',
  401: 'The bearer token is missing, malformed, expired, or invalid.',
  403: 'The bearer token is valid but lacks access.',
  404: 'The resource does not exist, or belongs to another account.',
  409: 'The request conflicts with an earlier one.',
  422: 'The request does not match the schema.',
  429: 'The rate limit is exceeded.',
  500: 'The service failed.',
  503: 'The service cannot be reached, or is stopping.',
};

const ERROR_BODIES: Readonly<Record<ErrorFormat | 'route', { readonly type: string; readonly schema: z.ZodType }>> = {
  problem: { type: PROBLEM_CONTENT_TYPE, schema: Problem },
  message: { type: 'application/json', schema: MessageError },
  job: { type: 'application/json', schema: QueueError },
  route: { type: 'application/json', schema: RouteError },
};

/** Returns true for formats whose responses document the RateLimit headers. */
const isCounted = (format: ErrorFormat | 'route'): boolean => format !== 'message';

/** Optional headers, because responses to callers without limits omit them. */
const rateLimitHeaders = {
  RateLimit: z
    .string()
    .optional()
    .meta({
      description:
        'Structured-field list with one member per window: r is the remaining requests, t the seconds until the reset.',
      header: { id: 'RateLimit' },
    }),
  'RateLimit-Policy': z
    .string()
    .optional()
    .meta({
      description:
        'Structured-field list with one member per window: q is the quota, w the length of the window in seconds.',
      header: { id: 'RateLimit-Policy' },
    }),
};
const retryAfter = z.int().meta({ description: 'Seconds to wait before the next attempt.' });

export interface OpenApiOptions {
  /** The addresses of the platform that serves the document. */
  readonly addresses?: Readonly<Record<AddressName, string>>;
}

/** Returns the document of the API. Operation IDs are the keys of the operation table. */
export function openApiDocument({ addresses = EXAMPLE_ADDRESSES }: OpenApiOptions = {}): ReturnType<
  typeof createDocument
> {
  return documentOf({
    title: 'Cloud Compute',
    version: '2.0.0',
    rows: [...Object.values(operations), ...Object.values(routeOperations)],
    paths: paths(addresses),
    addresses,
    schemas: componentSchemas(),
    key: 'API key, or token of a console session.',
  });
}

/** Returns the document of a local platform's control API, which hosted platforms do not have. */
export function controlDocument({ addresses = EXAMPLE_ADDRESSES }: OpenApiOptions = {}): ReturnType<
  typeof createDocument
> {
  const documented: ZodOpenApiPathsObject = {};
  for (const [id, row] of Object.entries<Operation>(controlOperations)) {
    const item = (documented[row.path] ??= {});
    item[row.method.toLowerCase() as Lowercase<Method>] = documentedOperation(id, row);
  }
  return documentOf({
    title: 'Cloud Compute: control API of a local platform',
    version: '1.0.0',
    rows: Object.values(controlOperations),
    paths: documented,
    addresses,
    schemas: {},
    key: 'Key that the platform was started with.',
  });
}

interface DocumentParts {
  readonly title: string;
  readonly version: string;
  readonly rows: readonly { readonly tag?: string }[];
  readonly paths: ZodOpenApiPathsObject;
  readonly addresses: Readonly<Record<AddressName, string>>;
  readonly schemas: Record<string, z.ZodType>;
  /** Description of the bearer token. */
  readonly key: string;
}

function documentOf({ title, version, rows, paths: all, addresses, schemas, key }: DocumentParts) {
  return createDocument(
    {
      openapi: '3.1.0',
      info: { title, version },
      servers: [server('baseUrl', addresses)],
      security: [{ bearer: [] }],
      tags: [...new Set(rows.flatMap(({ tag }) => tag ?? []))].map((name) => ({ name })),
      paths: all,
      components: { schemas, securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: key } } },
    },
    { override: describeValue },
  );
}

/** Returns a server whose address is a variable, so that the document fits any platform. An endpoint ID in the host is a variable too. */
function server(name: AddressName, addresses: Readonly<Record<AddressName, string>>) {
  const address = addresses[name];
  const description = ADDRESS_DESCRIPTIONS[name];
  if (address.includes(ENDPOINT_ID_PLACEHOLDER)) {
    const variable = ENDPOINT_ID_PLACEHOLDER.slice(1, -1);
    return { url: address, description, variables: { [variable]: { default: 'endpoint-id' } } };
  }
  return { url: `{${name}}`, description, variables: { [name]: { default: address } } };
}

function paths(addresses: Readonly<Record<AddressName, string>>): ZodOpenApiPathsObject {
  const documented: ZodOpenApiPathsObject = {};
  const add = (path: string, address: AddressName, method: Method, row: ZodOpenApiOperationObject) => {
    const item = (documented[path] ??= address === 'baseUrl' ? {} : { servers: [server(address, addresses)] });
    item[method.toLowerCase() as Lowercase<Method>] = row;
  };
  for (const [id, row] of Object.entries<Operation>(operations)) {
    add(row.path, row.address, row.method, documentedOperation(id, row));
  }
  for (const [id, row] of Object.entries<RouteOperation>(routeOperations)) {
    // OpenAPI cannot express "any path". One parameter represents the whole path, including slashes.
    for (const method of row.methods) add('/{path}', row.address, method, documentedRoute(id, method, row));
  }
  return documented;
}

function documentedOperation(id: string, row: Operation): ZodOpenApiOperationObject {
  const { success, query, body, headers } = row;
  const pathNames = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const type = success.events ? 'text/event-stream' : 'application/json';
  const answer = {
    description: success.events
      ? 'Server-sent events. The schema describes the data of each event.'
      : (STATUS_DESCRIPTIONS[success.status] ?? 'The request succeeded.'),
    ...(isCounted(row.errorFormat) ? { headers: z.object(rateLimitHeaders) } : {}),
    ...(success.body ? { content: { [type]: { schema: success.body } } } : {}),
    ...(success.type === undefined ? {} : { content: { [success.type]: {} } }),
  };
  return {
    operationId: id,
    summary: row.summary,
    ...(row.tag === undefined ? {} : { tags: [row.tag] }),
    requestParams: {
      ...(pathNames.length > 0
        ? { path: z.object(Object.fromEntries(pathNames.map((name) => [name, pathParameter(name, row.path)]))) }
        : {}),
      ...(query ? { query: z.object(queryParameters(query)) } : {}),
      ...(headers ? { header: z.object(headers) } : {}),
      ...(success.events
        ? {
            header: z.object({
              [LAST_EVENT_ID_HEADER]: z.string().optional().meta({ description: LAST_EVENT_DESCRIPTION }),
            }),
          }
        : {}),
    },
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    ...(row.bodyType === undefined ? {} : { requestBody: { required: true, content: { [row.bodyType]: {} } } }),
    responses: { [`${success.status}`]: answer, ...errorResponses(row.errorFormat, row.errors) },
  };
}

/** Resources that path parameters identify, by the name of the parameter, or by the segment before `{id}`. */
const IDENTIFIED: Readonly<Record<string, string>> = {
  serverless: 'endpoint',
  templates: 'template',
  'network-volumes': 'network volume',
  'global-volumes': 'global volume',
  gpus: 'GPU type',
  cpus: 'CPU flavor',
  datacenters: 'data center',
  registries: 'container registry credential',
  faults: 'fault',
  images: 'image on the engine',
  keys: 'API key',
  containerRegistryAuthId: 'container registry credential',
  endpointId: 'endpoint',
  debuggerId: 'debugger',
  workerId: 'worker',
  jobId: 'job',
  teamId: 'team',
  userId: 'user',
};

/** @throws Error for a parameter without an entry in `IDENTIFIED` */
function pathParameter(name: string, template: string): z.ZodType {
  const [, collection = ''] = /([\w-]+)\/\{id\}/.exec(template) ?? [];
  const resource = IDENTIFIED[name === 'id' ? collection : name];
  if (resource === undefined) throw new Error(`path parameter ${name} of ${template} has no description`);
  return z.string().meta({ description: `ID of the ${resource}.` });
}

const LAST_EVENT_DESCRIPTION =
  'ID of the last event, an opaque string. The stream resumes after that event, and since and tail are ignored.';

function documentedRoute(id: string, method: Method, row: RouteOperation): ZodOpenApiOperationObject {
  const hasBody = method !== 'GET' && method !== 'DELETE';
  const anyJson = { 'application/json': { schema: z.unknown() } };
  return {
    operationId: `${id}_${method.toLowerCase()}`,
    summary: row.summary,
    description: 'The worker defines the path, which can have any number of segments.',
    ...(row.tag === undefined ? {} : { tags: [row.tag] }),
    requestParams: {
      path: z.object({ path: z.string().meta({ description: 'Path of the route, without its leading slash.' }) }),
    },
    ...(hasBody ? { requestBody: { content: anyJson } } : {}),
    responses: {
      200: { description: 'Response of the route.', headers: z.object(rateLimitHeaders), content: anyJson },
      ...errorResponses('route', row.errors),
    },
  };
}

/** Returns the documented error responses of an operation, and those that all operations share. */
function errorResponses(format: ErrorFormat | 'route', statuses: readonly number[]): ZodOpenApiResponsesObject {
  const all = [...new Set([...statuses, 401, 429])].sort((left, right) => left - right);
  const listed = all.map((status) => [`${status}`, errorResponse(format, status)] as const);
  return { ...Object.fromEntries(listed), default: errorResponse(format, 'default') };
}

const responses = new Map<string, ZodOpenApiResponseObject>();

/** Returns the same object for the same format and status, so that it becomes one component that operations reference. */
function errorResponse(format: ErrorFormat | 'route', status: number | 'default'): ZodOpenApiResponseObject {
  const id = `${format}-${status}`;
  const known = responses.get(id);
  if (known) return known;
  const { type, schema } = ERROR_BODIES[format];
  const headers = errorHeaders(format, status);
  const response: ZodOpenApiResponseObject = {
    id,
    description:
      status === 'default' ? 'Any other error.' : (STATUS_DESCRIPTIONS[status] ?? 'The request was rejected.'),
    ...(Object.keys(headers).length > 0 ? { headers: z.object(headers) } : {}),
    content: { [type]: { schema } },
  };
  responses.set(id, response);
  return response;
}

/** Returns the headers of an error response. A 401 has no RateLimit headers, because the caller is unknown. */
function errorHeaders(format: ErrorFormat | 'route', status: number | 'default'): z.ZodRawShape {
  const limits = isCounted(format) && status !== 401 ? rateLimitHeaders : {};
  return status === 429 ? { 'Retry-After': retryAfter, ...limits } : limits;
}

/** Returns the parameters of a query. Lists are comma-separated instead of repeated. */
function queryParameters(query: z.ZodObject): z.ZodRawShape {
  return Object.fromEntries(
    Object.entries(query.shape as Record<string, z.ZodType>).map(([name, schema]) => [
      name,
      meaning(schema) instanceof z.ZodArray ? schema.meta({ ...schema.meta(), param: COMMA_SEPARATED }) : schema,
    ]),
  );
}

const COMMA_SEPARATED = { style: 'form', explode: false } as const;

/** Returns the schema of a query parameter's value after it is parsed. */
function meaning(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodOptional) return meaning(schema.unwrap());
  return schema instanceof z.ZodPipe ? meaning(schema.out) : schema;
}

/** Documents the parsed value of a query parameter, without the bounds of a safe integer that zod adds. */
const describeValue: NonNullable<CreateDocumentOptions['override']> = ({ jsonSchema, zodSchema, io }) => {
  const meant = meaning(zodSchema);
  if (io === 'input' && zodSchema instanceof z.ZodPipe && !(meant instanceof z.ZodTransform)) {
    for (const key of ['anyOf', 'type', 'pattern'] as const) Reflect.deleteProperty(jsonSchema, key);
    const { $schema, ...schema } = z.toJSONSchema(meant, { io: 'input' });
    Object.assign(jsonSchema, { ...schema, ...jsonSchema });
  }
  // zod drops the defaults of schemas that it cannot represent.
  const fallback = z.globalRegistry.get(zodSchema)?.['default'];
  if (fallback !== undefined) jsonSchema.default = fallback;
  // zod adds a pattern of 300 characters to the format.
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
};
