import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { controlOperations } from '../../src/contract/control/controlOperations.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../../src/contract/job.ts';
import { operations } from '../../src/contract/operations.ts';
import { puppet, type Puppet } from './puppet.ts';
import { afterwards, cleanUp, dataDirectory, eventually, platformForTest, type Api } from './support.ts';

/** Padding that makes a body large. */
const PADDING = 'x'.repeat(3_000_000);

/** JSON whose exact form is easily lost: numbers, escapes, characters outside of ASCII, repeated names, and the name of a prototype. */
const TRICKY =
  '[1.0, 1e3, -0, 0.1, 9007199254740993, 1e400, "\\u00e9\\ud83d\\ude00 \\ud800 日本", {"a": 1, "a": 2, "__proto__": [null]}]';
const EXPECTED = '[1,1000,0,0.1,9007199254740992,null,"é😀 \\ud800 日本",{"a":2,"__proto__":[null]}]';

describe('Large bodies', () => {
  let api: Api;
  let endpoint: Endpoint;
  let worker: Puppet;

  async function open(dataDir?: string): Promise<Awaited<ReturnType<typeof platformForTest>>['platform']> {
    const started = await platformForTest({ dataDir });
    api = started.api;
    const cmd = [process.execPath, 'puppet.mjs'];
    endpoint = await api.createEndpoint({ cmd, workers: { min: 1, max: 1 } });
    worker = await puppet(api, endpoint);
    return started.platform;
  }

  afterEach(cleanUp);

  const run = (body: string, headers: Record<string, string> = {}) =>
    api.fetch(operations.runJob, { parameters: { endpointId: endpoint.id }, headers }, { body });
  const submitted = async (body: string, headers?: Record<string, string>): Promise<string> => {
    const response = await run(body, headers);
    const text = await response.text();
    assert.equal(response.status, 200, text);
    return (JSON.parse(text) as { id: string }).id;
  };
  const taken = async (): Promise<string> => (await fetch(`${worker.takeUrl}&job_in_progress=0`)).text();
  const status = async (jobId: string): Promise<string> => {
    const parameters = { endpointId: endpoint.id, jobId };
    return (await api.fetch(operations.getJobStatus, { parameters })).text();
  };
  const bodyOf = (pad: string): string =>
    `{"policy": {"ttl": 60000}, "input": {"pad": "${pad}", "value": ${TRICKY}}, "other": 1}`;
  const member = (text: string, pad: string): string => text.replace(pad, '');

  it('arrive as those of usual size do', async () => {
    await open();
    const seen = [];
    for (const pad of ['small', PADDING]) {
      const id = await submitted(bodyOf(pad));
      const job = member(await taken(), pad);
      assert.ok(job.includes(`"value":${EXPECTED}`), job);
      assert.equal(await worker.done(id, `{"output": {"pad": "${pad}", "value": ${TRICKY}}, "stopPod": false}`), 200);
      const answer = member(await status(id), pad);
      assert.ok(answer.includes(`"value":${EXPECTED}`), answer);
      seen.push([job, answer].map((text) => text.replace(id, 'id').replace(/"(delay|execution)Time":\d+/g, '')));
    }
    assert.deepEqual(seen[1], seen[0]);
  });

  it('are neither parsed nor serialized by the thread that answers requests', async () => {
    await open();
    const { parse, stringify } = JSON;
    let most = 0;
    JSON.parse = (text: string, ...rest: []) => {
      most = Math.max(most, text.length);
      return parse(text, ...rest) as unknown;
    };
    JSON.stringify = ((value: unknown, ...rest: []) => {
      const text = stringify(value, ...rest) as string | undefined;
      most = Math.max(most, text?.length ?? 0);
      return text;
    }) as typeof JSON.stringify;
    try {
      const id = await submitted(bodyOf(PADDING), { [IDEMPOTENCY_KEY_HEADER]: 'key' });
      assert.ok((await taken()).length > PADDING.length);
      await worker.done(id, `{"output": "${PADDING}"}`);
      assert.ok((await status(id)).length > PADDING.length);
    } finally {
      JSON.parse = parse;
      JSON.stringify = stringify;
    }
    assert.ok(most < 1_000_000, `${most} characters`);
  });

  it('are refused for the same reasons as small ones', async () => {
    await open();
    for (const wrong of [
      '{"input": nope ',
      ' ',
      '{"input": "not an object"}',
      '{"input": {}, "policy": {"ttl": 1}, "webhook": "ftp://x"}',
      `{"input": {"a": ${'['.repeat(1_001)}${']'.repeat(1_001)}}}`,
    ]) {
      const answers = await Promise.all(
        [1_000, 2_000_000].map(async (spaces) => {
          const response = await run(wrong + ' '.repeat(spaces));
          return [response.status, await response.text()];
        }),
      );
      assert.equal(answers[0]?.[0], 400, String(answers[0]?.[1]));
      assert.deepEqual(answers[1], answers[0]);
    }
  });

  it('of results fail their jobs for the same reasons as small ones', async () => {
    await open();
    const errors = [];
    for (const spaces of [1_000, 2_000_000]) {
      const id = await submitted('{"input": {}}');
      await taken();
      await worker.done(id, `{"output": NaN ${' '.repeat(spaces)}`);
      errors.push((JSON.parse(await status(id)) as { error: string }).error);
    }
    assert.match(errors[0] ?? '', /contains NaN/);
    assert.equal(errors[1], errors[0]);
  });

  it('belong to the job of their key', async () => {
    await open();
    const headers = { [IDEMPOTENCY_KEY_HEADER]: 'key' };
    const id = await submitted(bodyOf(PADDING), headers);
    assert.equal(await submitted(bodyOf(PADDING).replace('{"pad"', '{ "pad"'), headers), id);
    assert.equal((await run(bodyOf(`${PADDING}y`), headers)).status, 409);
  });

  it('are part of webhooks', async () => {
    await open();
    const received = Promise.withResolvers<string>();
    const server = createServer((request, response) => {
      void text(request).then((body) => {
        received.resolve(body);
        response.end();
      });
    }).listen(0, '127.0.0.1');
    afterwards(() => Promise.resolve(void server.close()));
    await once(server, 'listening');
    const webhook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const id = await submitted(bodyOf(PADDING).replace('{', `{"webhook": "${webhook}", `));
    await taken();
    await worker.done(id, `{"output": ["${PADDING}"]}`);
    const body = JSON.parse(await received.promise) as { input: { pad: string }; output: string[] };
    assert.equal(body.input.pad, PADDING);
    assert.deepEqual(body.output, [PADDING]);
  });

  it('replace progress reports, and survive a restart and a retry', async () => {
    const dataDir = await dataDirectory();
    const platform = await open(dataDir);
    const id = await submitted(bodyOf(PADDING));
    await taken();
    await worker.done(id, `{"status": "IN_PROGRESS", "output": "half ${PADDING}"}`);
    assert.ok((await status(id)).includes('"half '));
    await worker.done(id, `{"error": "as asked", "output": "whole ${PADDING}"}`);
    await platform.close();
    ({ api } = await platformForTest({ dataDir }));
    assert.ok((await status(id)).includes('"whole '));
    await api.call(operations.retryJob, { parameters: { endpointId: endpoint.id, jobId: id } });
    worker = await puppet(api, endpoint);
    assert.ok((await taken()).includes(`"value":${EXPECTED}`));
  });

  /** Returns a copy of the database. */
  async function snapshot(): Promise<{ database: DatabaseSync; file: string }> {
    const file = path.join(await dataDirectory(), 'snapshot.sqlite');
    const response = await api.fetch(controlOperations.exportSnapshot);
    await writeFile(file, new Uint8Array(await response.arrayBuffer()));
    return { database: new DatabaseSync(file), file };
  }

  const upload = async (file: string): Promise<{ status: number; text: string }> => {
    const response = await api.fetch(controlOperations.importSnapshot, {}, { body: await readFile(file) });
    return { status: response.status, text: await response.text() };
  };

  it('leave the store some time after their job', async () => {
    await open();
    const kept = await submitted(`{"input": {"pad": "${PADDING}"}}`);
    await taken();
    const id = await submitted(bodyOf(PADDING));
    await worker.done(kept, `{"output": "${PADDING}"}`);
    await taken();
    await worker.done(id, `{"output": "${PADDING}"}`);
    await api.call(controlOperations.setClock, { body: { advanceMs: 120_000 } });
    await eventually('the values of the expired job are deleted', async () => {
      const { database } = await snapshot();
      const rows = database
        .prepare(
          'SELECT DISTINCT large_values.reference, used FROM large_values JOIN large_value_parts USING (reference)',
        )
        .all();
      database.close();
      return rows.length === 2 && rows.every(({ used }) => used === 1);
    });
    assert.ok((await status(kept)).length > PADDING.length);
  });

  it('survive an export and an import', async () => {
    await open();
    const id = await submitted(`{"input": {"pad": "${PADDING}"}}`);
    await taken();
    await worker.done(id, `{"output": {"pad": "${PADDING}", "value": ${TRICKY}}}`);
    const { database, file } = await snapshot();
    database.close();
    assert.deepEqual(await upload(file), { status: 204, text: '' });
    assert.ok((await status(id)).includes(`"value":${EXPECTED}`));
  });
});
