import assert from 'node:assert/strict';
import { failureLine } from '../../../src/account/diagnosis/logFindings.ts';
import { renderEndpoint, renderWorker } from '../../../src/features/endpoints/endpointRenderer.ts';
import type { Worker } from '../../../src/contract/worker.ts';
import type { EndpointSnapshot } from '../../../src/account/endpoints/endpointSnapshot.ts';
import { renderRelease, renderReleases } from '../../../src/features/endpoints/releaseRenderer.ts';
import { endpointTooltip, releaseTooltip, workerTooltip } from '../../../src/features/endpoints/tooltips.ts';
import { shortImage } from '../../../src/account/endpoints/words.ts';
import { endpoint, health, NOW, releases, snapshot, worker, workers } from './sample.ts';

describe('Row of an endpoint', () => {
  const paused = { ...endpoint, workers: { min: 0, max: 0 } };
  const cases: [string, EndpointSnapshot, string, string][] = [
    ['an endpoint without workers', snapshot(), 'no workers', 'circle-outline'],
    ['starting workers', snapshot(workers('INITIALIZING')), '1 initializing', 'loading~spin'],
    ['idle workers', snapshot(workers('IDLE', 'IDLE')), '2 idle', 'pass'],
    [
      'running workers first, with all counts',
      snapshot(workers('RUNNING', 'IDLE', 'IDLE')),
      '1 running, 2 idle',
      'sync~spin',
    ],
    ['throttled workers', snapshot(workers('THROTTLED')), '1 throttled', 'warning'],
    ['unhealthy workers first', snapshot(workers('RUNNING', 'UNHEALTHY')), '1 unhealthy, 1 running', 'error'],
    ['a deletion', snapshot(workers('IDLE'), { deleting: true }), 'Deleting…', 'loading~spin'],
    ['an update', snapshot(workers('IDLE'), { updating: true }), 'Updating…', 'loading~spin'],
    ['a paused endpoint', snapshot(workers(), { endpoint: paused }), 'paused: no workers allowed', 'debug-pause'],
  ];
  for (const [name, given, state, icon] of cases) {
    it(`shows ${name}`, () => {
      const row = renderEndpoint(given);
      assert.deepEqual([row.label, row.description, row.icon], ['hello', `${state} · hello/`, icon]);
      assert.equal(row.spoken, `Endpoint hello, ${state}`);
    });
  }

  it('shows that the workers are unknown', () => {
    const row = renderEndpoint({ endpoint, workers: undefined, deleting: false });
    assert.deepEqual([row.description, row.icon], ['workers unknown · hello/', 'question']);
  });

  it('shows the number of waiting jobs, the type, and the image', () => {
    const image = 'registry.example.com/team/worker:1.2';
    const given = snapshot(workers('RUNNING'), { endpoint: { ...endpoint, image }, health: health({ inQueue: 1 }) });
    assert.equal(renderEndpoint(given).description, '1 running · 1 waiting · worker:1.2');
    assert.equal(renderEndpoint(given).spoken, 'Endpoint hello, 1 running, 1 job waiting');
    const balanced = { ...endpoint, type: 'LOAD_BALANCER' as const, image };
    assert.equal(
      renderEndpoint(snapshot(workers(), { endpoint: balanced })).description,
      'no workers · load-balanced · worker:1.2',
    );
  });

  it('has a context value for its type and state, and a separate one during a deletion', () => {
    assert.equal(renderEndpoint(snapshot()).contextValue, 'endpoint.QUEUE.process');
    assert.equal(
      renderEndpoint(snapshot(workers(), { inTrouble: true }), true).contextValue,
      'endpoint.QUEUE.trouble.favorite.process',
    );
    assert.equal(renderEndpoint(snapshot(workers(), { deleting: true })).contextValue, 'endpointDeleting');
    const image = { ...endpoint, image: 'example/worker:1', gpu: { pools: ['ADA_24'], count: 1 } };
    assert.equal(renderEndpoint(snapshot(workers(), { endpoint: image })).contextValue, 'endpoint.QUEUE.image.gpu');
  });

  it('marks an endpoint that the chat of the editor can use', () => {
    const row = renderEndpoint(snapshot(workers('IDLE')), false, undefined, true);
    assert.match(row.description, /^1 idle · chat model · /);
    assert.equal(row.contextValue, 'endpoint.QUEUE.chat.process');
    assert.match(row.spoken, /, chat model$/);
  });

  it('marks favorites and endpoints in trouble, including for screen readers', () => {
    const row = renderEndpoint(snapshot(workers('IDLE'), { inTrouble: true }), true);
    assert.deepEqual([row.description, row.icon], ['★ 1 idle · hello/', 'warning']);
    assert.equal(row.spoken, 'Endpoint hello, favorite, needs attention, 1 idle');
  });
});

describe('Tooltip of an endpoint', () => {
  it('shows only the last part of a local directory', () => {
    const text = endpointTooltip(snapshot(), undefined).source;
    assert.match(text, /`process:…\/hello`/);
    assert.match(text, /0 to 3/);
    assert.doesNotMatch(text, /\/home\/me/);
  });

  it('escapes markup and links in a name', () => {
    const evil = { ...endpoint, name: '[x](command:evil) **b** | <i> $(flame)' };
    const text = endpointTooltip(snapshot(workers(), { endpoint: evil }), undefined).source;
    assert.match(text, /\\\[x\\\] \\\(command\\:evil\\\) \\\*\\\*b/);
    assert.match(text, /\\\$ \\\(flame\\\)/);
  });

  it('contains links to commands, with the endpoint as their argument', () => {
    const text = endpointTooltip(snapshot(), undefined).source;
    const argument = encodeURIComponent(JSON.stringify([{ kind: 'endpoint', endpointId: endpoint.id }]));
    assert.ok(text.includes(`(command:cloudCompute.endpoints.explain?${argument})`));
  });
});

describe('Log line in a tooltip', () => {
  it('is the last line that mentions an error, or else the last line', () => {
    assert.equal(
      failureLine(['Error: first', 'Error: second', '    at main (a.js:1:1)', 'Node.js v24']),
      'Error: second',
    );
    assert.equal(failureLine(['one', 'two']), 'two');
    assert.equal(failureLine([]), undefined);
  });
});

describe('Row of a worker', () => {
  it('shows an unknown state as the platform reports it', () => {
    for (const status of ['constructor', '__proto__']) {
      const row = renderWorker(worker('w', status));
      assert.equal(row.icon, 'question');
      assert.ok(row.description.startsWith(status));
    }
  });

  it('shows the state, uptime, hardware, and version', () => {
    const { label, description, icon, spoken } = renderWorker(worker('w1'));
    assert.deepEqual([label, description, icon], ['w1', 'idle, up 1 min · CPU · v2', 'pass']);
    assert.equal(spoken, 'Worker w1, idle, up 1 min, CPU');
  });

  it('marks an old version', () => {
    const row = renderWorker(worker('w1', 'IDLE', { isStale: true }));
    assert.equal(row.description, 'idle, up 1 min · CPU · v2, old version');
    assert.match(row.spoken, /runs an old version/);
  });

  it('shows the GPUs', () => {
    const row = renderWorker(worker('w1', 'RUNNING', { gpuCount: 2, gpuTypeId: 'NVIDIA L4', uptimeSeconds: null }));
    assert.equal(row.description, 'running · 2 × NVIDIA L4 · v2');
  });

  it('shows a state of a newer platform in lowercase', () => {
    const { description, icon } = renderWorker(worker('w1', 'DRAINING', { uptimeSeconds: null }));
    assert.deepEqual([description, icon], ['draining · CPU · v2', 'question']);
  });

  it('has a tooltip with a link to the log', () => {
    assert.match(workerTooltip(worker('w1'), 'e1').source, /\[Show Logs\]\(command:cloudCompute\.logs\.open\?/);
  });
});

describe('Rows of releases', () => {
  it('show the progress of a rollout', () => {
    assert.equal(
      renderReleases({ workers: undefined, releases }).description,
      'version 2 · rolling out, 1 of 2 workers',
    );
  });

  it('show the changed settings and the age', () => {
    const [newest, first] = releases.releases;
    assert.ok(newest && first);
    const row = renderRelease(newest, releases, NOW);
    assert.deepEqual(
      [row.label, row.description, row.icon],
      ['Version 2', 'image, env · 1 worker · 5 min ago', 'sync~spin'],
    );
    assert.equal(renderRelease(first, releases, NOW).description, 'created · 28 d 0 h ago');
  });

  it('show no values of environment variables', () => {
    const [newest] = releases.releases;
    assert.ok(newest);
    const text = releaseTooltip(newest).source;
    assert.match(text, /`a:1` \| `a:2`/);
    assert.match(text, /TOKEN/);
    assert.doesNotMatch(text, /secret/);
  });

  it('tell who deployed them, and how the verification ended', () => {
    const [newest, first] = releases.releases;
    assert.ok(newest && first);
    const made = { by: 'Ada *', commit: '0123456789abcdef', isDirty: true, environment: 'eu' };
    assert.match(
      releaseTooltip(newest, { ...made, verification: 'verified' }).source,
      /\n\nDeployed by Ada \\\* · commit 0123456789ab with changes · eu · verified\n\n/,
    );
    const plain = { ...made, commit: undefined, environment: undefined };
    assert.match(
      releaseTooltip(first, { ...plain, verification: 'failed' }).source,
      /^.*\n\nDeployed by Ada \\\* · failed its verification\n\nFirst release/,
    );
  });
});

describe('Image on a row', () => {
  for (const [image, text] of [
    ['registry.example.com/team/worker:1.2', 'worker:1.2'],
    ['worker@sha256:0123', 'worker'],
    ['process:/home/me/hello', 'hello/'],
  ] as const) {
    it(`is ${text} for ${image}`, () => assert.equal(shortImage(image), text));
  }
});

describe('Start of a worker on the local platform', () => {
  const starting = (start: Worker['start'], status = 'INITIALIZING') =>
    worker('w1', status, { start, uptimeSeconds: null });

  it('is shown in the row of the worker', () => {
    const words = (start: Worker['start'], status?: string) => renderWorker(starting(start, status)).description;
    assert.equal(words({ kind: 'pulling', percent: 43.9 }), 'pulling 43 % · CPU · v2');
    assert.equal(words({ kind: 'pulling' }), 'pulling the image · CPU · v2');
    assert.equal(words({ kind: 'waitingForGpus' }, 'THROTTLED'), 'throttled, waiting for free GPUs · CPU · v2');
    assert.equal(words({ kind: 'ofANewerVersion' }), 'initializing · CPU · v2');
  });

  it('is shown in the row of the endpoint, with the least progress', () => {
    const list = { ...workers('INITIALIZING', 'INITIALIZING', 'INITIALIZING', 'IDLE') };
    const row = (...starts: Worker['start'][]) =>
      renderEndpoint(
        snapshot({ ...list, workers: list.workers.map((one, index) => ({ ...one, start: starts[index] })) }),
      ).description;
    const pulling = (percent?: number) => ({ kind: 'pulling', ...(percent !== undefined && { percent }) });
    assert.equal(row(pulling(80), pulling(12)), '2 pulling 12 %, 1 initializing, 1 idle · hello/');
    assert.equal(row(pulling(80)), 'pulling 80 %, 2 initializing, 1 idle · hello/');
    assert.equal(row(pulling(80), pulling()), '2 pulling the image, 1 initializing, 1 idle · hello/');
  });

  it('has its reason and the GPUs of the worker in the tooltip', () => {
    const throttled = starting({ kind: 'noPlace', reason: '1 Insufficient | cpu' }, 'THROTTLED');
    const text = workerTooltip({ ...throttled, gpus: ['GPU-1a', 'GPU-2b'] }, 'e1').source;
    assert.match(text, /\| State \| throttled\\, waiting for a machine with room \|/);
    assert.match(text, /\| Reason \| No machine of the cluster has room for the worker\\: 1 Insufficient \\\| cpu \|/);
    assert.match(text, /\| GPUs \| `GPU-1a`, `GPU-2b` \|/);
  });
});
