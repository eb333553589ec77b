import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { onPath } from '../../../scripts/editor/onPath.ts';
import { controlOperations } from '../../../src/contract/control/controlOperations.ts';
import { StartFailure } from '../../../src/platform/startFailure.ts';
import { balanced, Routes } from '../balancerSupport.ts';
import {
  afterwards,
  type Api,
  cleanUp,
  dataDirectory,
  eventually,
  otherAccount,
  platformForTest,
  repository,
} from '../support.ts';

async function scrape({ addresses }: Api, key: string | undefined = addresses.apiKey, origin = addresses.baseUrl) {
  const response = await fetch(`${origin}/metrics`, { headers: key === '' ? {} : { Authorization: `Bearer ${key}` } });
  return { status: response.status, type: response.headers.get('Content-Type'), text: await response.text() };
}

/** Returns the value of a series. */
function valueOf(text: string, series: RegExp): number {
  const line = text.split('\n').find((one) => series.test(one)) ?? '';
  return Number(line.slice(line.lastIndexOf(' ') + 1) || NaN);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** Starts a platform with an address for its metrics. Another program can take the free port first. */
async function platformWithMetricsAddress(): Promise<{ api: Api; origin: string }> {
  const port = await freePort();
  try {
    const { api } = await platformForTest({ metricsAddress: { host: '127.0.0.1', port } });
    return { api, origin: `http://127.0.0.1:${port}` };
  } catch (error) {
    if (error instanceof StartFailure && error.reason === 'portTaken') return platformWithMetricsAddress();
    throw error;
  }
}

/** Runs a program with a text as its standard input. Resolves with its output. */
async function output(program: string, args: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, (error, stdout, stderr) => {
      if (error) reject(new Error(`${stdout}${stderr}`));
      else resolve(stdout + stderr);
    });
    child.stdin?.end(input);
  });
}

describe('Metrics for Prometheus', () => {
  afterEach(cleanUp);

  it('count what happens after the first scrape', async () => {
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint({ name: 'text "1"' });
    const { status, type, text: first } = await scrape(api);
    assert.deepEqual([status, type], [200, 'text/plain; version=0.0.4; charset=utf-8']);
    const labels = `endpoint_id="${endpoint.id}",endpoint_name="text \\\\"1\\\\""`;
    assert.equal(valueOf(first, new RegExp(`^cloud_compute_jobs_submitted_total\\{${labels}`)), 0);
    await api.runSync(endpoint, { do: 'echo' });
    await api.runSync(endpoint, { do: 'fail' });
    const { text } = await scrape(api);
    assert.equal(valueOf(text, /^cloud_compute_jobs_submitted_total/), 2);
    assert.equal(valueOf(text, /^cloud_compute_jobs_ended_total.*status="completed"/), 1);
    assert.equal(valueOf(text, /^cloud_compute_jobs_ended_total.*status="failed"/), 1);
    assert.equal(valueOf(text, /^cloud_compute_job_duration_seconds_count/), 2);
    assert.equal(valueOf(text, /^cloud_compute_job_duration_seconds_bucket.*le="\+Inf"/), 2);
    assert.equal(valueOf(text, /^cloud_compute_workers.*state="idle"/), 1);
  });

  it('are readable with a key that may read endpoints, and contain those of its account', async () => {
    const { api } = await platformForTest({ allowProcessEndpoints: true });
    const other = await otherAccount(api);
    const own = await other.createEndpoint({ workers: { min: 0, max: 1 } });
    const foreign = await api.createEndpoint({ workers: { min: 0, max: 1 } });
    const { text } = await scrape(other);
    assert.ok(text.includes(own.id) && !text.includes(foreign.id));
    const reader = { name: 'Prometheus', permissions: ['serverless:read'] };
    const { key: ownersReader } = await api.call(controlOperations.createApiKey, { body: reader });
    for (const one of [api.addresses.apiKey, ownersReader]) {
      const all = await scrape(api, one);
      assert.ok(all.text.includes(own.id) && all.text.includes(foreign.id));
    }
    const body = { name: 'no reader', permissions: ['invoke'] };
    const { key } = await api.call(controlOperations.createApiKey, { body });
    const refused = await Promise.all(['', 'wrong', key].map((one) => scrape(api, one)));
    assert.deepEqual(
      refused.map(({ status, type }) => [status, type]),
      [401, 401, 403].map((status) => [status, 'application/problem+json']),
    );
  });

  it('are also at an address of their own, which serves nothing else', async () => {
    const { api, origin } = await platformWithMetricsAddress();
    assert.equal((await scrape(api, undefined, origin)).status, 200);
    assert.equal((await scrape(api, '', origin)).status, 401);
    const headers = { Authorization: `Bearer ${api.addresses.apiKey}` };
    assert.equal((await fetch(`${origin}/v2/serverless`, { headers })).status, 404);
    assert.equal((await fetch(`${origin}/control/v1/clock`, { headers })).status, 404);
  });

  it('have the names and units that promtool recommends', async function () {
    if (onPath('promtool') === undefined) this.skip();
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const routes = new Routes(api, await api.createEndpoint(balanced({ name: 'server' })));
    await scrape(api);
    await api.runSync(endpoint, { do: 'print', lines: 3 });
    await routes.echo();
    const { text } = await eventually('all families have values', async () => {
      const metrics = await scrape(api);
      const families = metrics.text.match(/^# TYPE \S+/gm) ?? [];
      return (
        families.every((type) => new RegExp(`^${type.slice('# TYPE '.length)}\\S* `, 'm').test(metrics.text)) && metrics
      );
    });
    assert.equal(await output('promtool', ['check', 'metrics'], text), '');
  });

  it('answer the queries of the dashboard in Prometheus', async function () {
    this.timeout(120_000);
    if (onPath('prometheus') === undefined) this.skip();
    const { api } = await platformForTest();
    const endpoint = await api.createEndpoint();
    const routes = new Routes(api, await api.createEndpoint(balanced({ name: 'server' })));
    const query = await prometheus(api);
    await eventually(
      'Prometheus has the first values',
      async () => (await query('cloud_compute_queue_length')).length > 0,
    );
    const load = async (): Promise<void> => {
      await api.runSync(endpoint, { do: 'print', lines: 2 });
      await routes.echo();
    };
    await load();
    const dashboard = JSON.parse(
      await readFile(path.join(repository, 'deploy/monitoring/dashboard.json'), 'utf8'),
    ) as Dashboard;
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
    assert.ok(expressions.length > 10);
    for (const expression of expressions) {
      const asked = expression.replaceAll('$__rate_interval', '30s').replaceAll('$endpoint', '.*');
      await eventually(`a value of ${asked}`, async () => {
        await load();
        const values = await query(asked);
        // There is no retry, and a cold start is over before the second scrape.
        return (
          (values.length > 0 || asked.includes('cold_start')) &&
          values.every((value) => value >= 0 || Number.isNaN(value))
        );
      });
    }
    const submitted = await query(`cloud_compute_jobs_submitted_total{endpoint_id="${endpoint.id}"}`);
    assert.ok((submitted[0] ?? 0) >= 1);
  });
});

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

/** Starts Prometheus, which scrapes the platform each second. Returns a function that queries it. */
async function prometheus({ addresses }: Api): Promise<(expression: string) => Promise<number[]>> {
  const directory = await dataDirectory();
  const file = path.join(directory, 'prometheus.yml');
  const target = new URL(addresses.baseUrl).host;
  const config = {
    global: { scrape_interval: '1s' },
    scrape_configs: [
      {
        job_name: 'cloud-compute',
        authorization: { credentials: addresses.apiKey },
        static_configs: [{ targets: [target] }],
      },
    ],
  };
  await writeFile(file, JSON.stringify(config));
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${directory}/data`, '--web.listen-address=127.0.0.1:0'];
  const child = spawn('prometheus', args, { stdio: ['ignore', 'ignore', 'pipe'], env: process.env });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const ended = once(child, 'exit');
  afterwards(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  // It chooses the port, so that no other program can take it first.
  const address = await eventually('Prometheus listens', () => /msg="?Listening on"? address=(\S+)/.exec(log)?.[1]);
  await eventually('Prometheus is ready', () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  return async (expression) => {
    const response = await fetch(`http://${address}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const body = (await response.json()) as {
      status: string;
      error?: string;
      data: { result: { value: [number, string] }[] };
    };
    assert.equal(body.status, 'success', `${expression}: ${body.error ?? ''}`);
    return body.data.result.map(({ value }) => Number(value[1]));
  };
}
