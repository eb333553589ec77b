import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { controlDocument, openApiDocument } from '../../src/contract/openapi.ts';
import { operations } from '../../src/contract/operations.ts';

const committed = new URL('../../openapi.json', import.meta.url);

/** Returns the value after a round trip through JSON. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Keywords whose values are data instead of schemas. */
const DATA = new Set(['default', 'enum', 'example', 'examples']);

/** Returns the JSON pointers of all fields and parameters without a description. A referenced schema can contain the description. */
function undescribed(document: Json): string[] {
  const hasDescription = (node: unknown): boolean => {
    if (!isObject(node)) return false;
    if (typeof node['description'] === 'string') return true;
    const { $ref: reference, schema } = node;
    return typeof reference === 'string' ? hasDescription(lookUp(document, reference)) : hasDescription(schema);
  };
  const missing: string[] = [];
  const visit = (node: unknown, pointer: string, areFields = false): void => {
    if (!isObject(node)) return;
    const isParameter = typeof node['name'] === 'string' && typeof node['in'] === 'string';
    if (isParameter && !areFields && !hasDescription(node)) missing.push(pointer);
    for (const [key, child] of Object.entries(node)) {
      if (areFields && !hasDescription(child)) missing.push(`${pointer}/${key}`);
      if (areFields || !DATA.has(key)) visit(child, `${pointer}/${key}`, !areFields && key === 'properties');
    }
  };
  visit(document, '');
  return missing;
}

/** Returns the node at a reference such as `#/components/schemas/Job`. */
function lookUp(document: Json, reference: string): unknown {
  const keys = reference.split('/').slice(1);
  return keys.reduce<unknown>((node, key) => (isObject(node) ? node[key] : undefined), document);
}

describe('the OpenAPI document', () => {
  it('equals the committed file, which npm run generate writes', async () => {
    assert.deepEqual(JSON.parse(await readFile(committed, 'utf8')), plain(openApiDocument()));
  });

  it('refers to no document that readers do not have', () => {
    for (const document of [openApiDocument(), controlDocument()])
      assert.doesNotMatch(JSON.stringify(document), /\b(facts|interface document|specified in)\b/i);
  });

  for (const [title, document] of [
    ['the API', plain(openApiDocument())],
    ['the control API', plain(controlDocument())],
  ] as const) {
    it(`describes every field and parameter of ${title}`, () => {
      assert.deepEqual(undescribed(document), []);
    });
  }

  it('finds a field without a description, however deep', () => {
    const unit = { type: 'object', properties: { unit: { type: 'string' } } };
    const described = { description: 'Size.', ...unit };
    assert.deepEqual(undescribed({ properties: { sizes: { description: 'Sizes.', items: described } } }), [
      '/properties/sizes/items/properties/unit',
    ]);
    const parameters = [{ name: 'id', in: 'path', schema: { type: 'string' } }];
    assert.deepEqual(undescribed({ get: { parameters } }), ['/get/parameters/0']);
  });

  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(plain(openApiDocument()));
    assert.ok(valid, JSON.stringify(errors, null, 2));
    assert.equal(validator.version, '3.1');
  });

  it('contains every operation of the table, and routes with each method', () => {
    const ids = Object.values(openApiDocument().paths ?? {})
      .flatMap(({ get, post, put, patch, delete: remove }) => [get, post, put, patch, remove])
      .flatMap((row) => row?.operationId ?? []);
    const routes = ['get', 'post', 'put', 'delete', 'patch'].map((method) => `callRoute_${method}`);
    assert.deepEqual(ids.sort(), [...Object.keys(operations), ...routes].sort());
  });

  it('contains the addresses of the platform that serves it', () => {
    const document = openApiDocument({
      addresses: {
        baseUrl: 'http://127.0.0.1:1',
        restUrl: 'http://127.0.0.1:1',
        queueUrl: 'http://127.0.0.1:1/queue/v2',
        endpointHost: 'http://127.0.0.1:1/endpoints/{endpoint_id}',
      },
    });
    assert.equal(document.servers?.[0]?.variables?.['baseUrl']?.default, 'http://127.0.0.1:1');
    const [queue] = document.paths?.['/{endpointId}/run']?.servers ?? [];
    assert.equal(queue?.variables?.['queueUrl']?.default, 'http://127.0.0.1:1/queue/v2');
    const [route] = document.paths?.['/{path}']?.servers ?? [];
    assert.equal(route?.url, 'http://127.0.0.1:1/endpoints/{endpoint_id}');
    assert.ok(route.variables?.['endpoint_id']);
  });
});
