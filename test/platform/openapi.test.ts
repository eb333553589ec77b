import assert from 'node:assert/strict';
import { Validator } from '@seriousme/openapi-schema-validator';
import type { openApiDocument } from '../../src/contract/openapi.ts';
import { OPENAPI_PATH } from '../../src/platform/routes/openapi.ts';
import { cleanUp, platformForTest } from './support.ts';

describe('OpenAPI document of the platform', () => {
  after(cleanUp);

  it("is valid, contains the platform's addresses, and requires no key", async () => {
    const { api } = await platformForTest();
    const response = await fetch(api.addresses.baseUrl + OPENAPI_PATH);
    assert.equal(response.status, 200);
    const document = (await response.json()) as ReturnType<typeof openApiDocument>;
    assert.equal(document.servers?.[0]?.variables?.['baseUrl']?.default, api.addresses.baseUrl);
    const { valid, errors } = await new Validator().validate({ ...document });
    assert.ok(valid, JSON.stringify(errors));
  });

  it('is refused for other methods and hosts', async () => {
    const { api } = await platformForTest();
    const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
    const posted = await fetch(api.addresses.baseUrl + OPENAPI_PATH, { method: 'POST', headers });
    assert.equal(posted.status, 405);
    const elsewhere = await fetch(api.addresses.baseUrl + OPENAPI_PATH, {
      headers: { Origin: 'https://page.example' },
    });
    assert.equal(elsewhere.status, 403);
  });
});
