// Clauses of the interface: Authentication 3; Errors.
import assert from 'node:assert/strict';
import { fillPath, type Operation } from '../../src/contract/operation.ts';
import { operations } from '../../src/contract/operations.ts';
import { MessageError, Problem, PROBLEM_CONTENT_TYPE, QueueError } from '../../src/contract/problem.ts';
import type { Api } from './support.ts';
import { cleanUp, platformForTest } from './support.ts';

/** Well-formed IDs that do not exist. */
const UNKNOWN: Readonly<Record<string, string>> = { containerRegistryAuthId: 'clzdaifot0001l90809257ynb' };

const SCHEMAS = { problem: Problem, message: MessageError, job: QueueError };

describe('Every operation', () => {
  let api: Api;

  before(async () => {
    ({ api } = await platformForTest());
  });

  after(cleanUp);

  const call = (row: Operation, init: RequestInit = {}, query = ''): Promise<Response> => {
    const names = [...row.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    const parameters = Object.fromEntries(names.map((name) => [name, UNKNOWN[name] ?? 'nope']));
    return fetch(api.addresses[row.address] + fillPath(row.path, parameters) + query, {
      method: row.method,
      headers: { Authorization: `Bearer ${api.addresses.apiKey}` },
      ...init,
    });
  };

  /** Returns an error with this status, and checks its documented form. */
  const checkProblem = async (response: Response, status: number, row: Operation): Promise<Record<string, unknown>> => {
    const text = await response.text();
    assert.equal(response.status, status, text);
    const type = row.errorFormat === 'problem' ? PROBLEM_CONTENT_TYPE : 'application/json';
    assert.equal(response.headers.get('Content-Type'), type);
    const body = SCHEMAS[row.errorFormat].parse(JSON.parse(text)) as Record<string, unknown>;
    if (row.errorFormat === 'problem') assert.equal(body['status'], status);
    return body;
  };

  for (const [name, row] of Object.entries<Operation>(operations)) {
    it(`${name} reports errors in the documented form`, async () => {
      const tokens = { '': 'missing', 'Basic YTpi': 'malformed', 'Bearer a b': 'malformed', 'Bearer wrong': 'invalid' };
      for (const [Authorization, cause] of Object.entries(tokens)) {
        const response = await call(row, { headers: { Authorization } });
        assert.match(response.headers.get('WWW-Authenticate') ?? '', /^Bearer/);
        const body = await checkProblem(response, 401, row);
        assert.match(String(body['detail'] ?? body['message'] ?? body['error']), new RegExp(`^${cause} `));
      }

      const noMethod = await call(row, { method: 'PUT' });
      assert.ok(noMethod.headers.get('Allow')?.split(', ').includes(row.method));
      await checkProblem(noMethod, row.errorFormat === 'job' ? 404 : 405, row);

      if (row.body) {
        for (const body of ['', '{"name":', '[]', '"text"']) {
          const { headers } = { headers: { Authorization: `Bearer ${api.addresses.apiKey}` } };
          const response = await call(row, { body, headers });
          const { errors } = await checkProblem(response, row.invalid, row);
          if (row.errorFormat !== 'message')
            assert.ok(Array.isArray(errors) && String(errors[0]).startsWith('$'), body);
        }
      } else if (row.path.includes('{') && row.errors.includes(404)) {
        await checkProblem(await call(row), 404, row);
      }

      if (row.query && 'limit' in row.query.shape) {
        const { errors } = await checkProblem(await call(row, {}, '?limit=0'), row.invalid, row);
        assert.match(String((errors as string[])[0]), /^\$\.limit: /);
      }
    });
  }
});
