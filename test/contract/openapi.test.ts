import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { controlDocument, openApiDocument } from '../../src/contract/openapi.ts';
import { operations } from '../../src/contract/operations.ts';

const committed = new URL('../../openapi.json', import.meta.url);

/** Returns the value after a round trip through JSON. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value)) as Record<string, unknown>;

describe('the OpenAPI document', () => {
  it('equals the committed file, which npm run generate writes', async () => {
    assert.deepEqual(JSON.parse(await readFile(committed, 'utf8')), plain(openApiDocument()));
  });

  it('refers to no document that readers do not have', () => {
    for (const document of [openApiDocument(), controlDocument()])
      assert.doesNotMatch(JSON.stringify(document), /\b(facts|interface document|specified in)\b/i);
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
