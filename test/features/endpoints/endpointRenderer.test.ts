import assert from 'node:assert/strict';
import { tellingLine } from '../../../src/features/endpoints/diagnosis/programOutput.ts';
import { renderEndpoint, renderWorker } from '../../../src/features/endpoints/endpointRenderer.ts';
import type { EndpointSnapshot } from '../../../src/features/endpoints/endpointSnapshot.ts';
import { renderRelease, renderReleases } from '../../../src/features/endpoints/releaseRenderer.ts';
import { endpointTooltip, releaseTooltip, workerTooltip } from '../../../src/features/endpoints/tooltips.ts';
import { duration, shortImage } from '../../../src/features/endpoints/words.ts';
import { endpoint, health, NOW, releases, snapshot, worker, workers } from './sample.ts';

describe('the row of an endpoint', () => {
  const paused = { ...endpoint, workers: { min: 0, max: 0 } };
  const cases: [string, EndpointSnapshot, string, string][] = [
    ['that has no workers', snapshot(), 'no workers', 'circle-outline'],
    ['whose workers start', snapshot(workers('INITIALIZING')), '1 initializing', 'loading~spin'],
    ['whose workers are idle', snapshot(workers('IDLE', 'IDLE')), '2 idle', 'pass'],
    ['that works, with every count', snapshot(workers('RUNNING', 'IDLE', 'IDLE')), '1 running, 2 idle', 'sync~spin'],
    ['that waits for capacity', snapshot(workers('THROTTLED')), '1 throttled', 'warning'],
    ['in trouble, which comes first', snapshot(workers('RUNNING', 'UNHEALTHY')), '1 unhealthy, 1 running', 'error'],
    ['that is being deleted', snapshot(workers('IDLE'), { deleting: true }), 'Deleting…', 'loading~spin'],
    ['that is being changed', snapshot(workers('IDLE'), { updating: true }), 'Updating…', 'loading~spin'],
    ['that is paused', snapshot(workers(), { endpoint: paused }), 'paused: at most 0 workers', 'debug-pause'],
  ];
  for (const [name, given, state, icon] of cases) {
    it(`tells one ${name}`, () => {
      const row = renderEndpoint(given);
      assert.deepEqual([row.label, row.description, row.icon], ['hello', `${state} · hello/`, icon]);
      assert.equal(row.spoken, `Endpoint hello, ${state}`);
    });
  }

  it('says that its workers could not be listed', () => {
    const row = renderEndpoint({ endpoint, workers: undefined, deleting: false });
    assert.deepEqual([row.description, row.icon], ['workers unknown · hello/', 'question']);
  });

  it('says how many jobs wait, that it is load-balanced, and which image it runs', () => {
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

  it('offers what its type and state allow, and nothing while it is being deleted', () => {
    assert.equal(renderEndpoint(snapshot()).contextValue, 'endpoint.QUEUE');
    assert.equal(
      renderEndpoint(snapshot(workers(), { inTrouble: true }), true).contextValue,
      'endpoint.QUEUE.trouble.favourite',
    );
    assert.equal(renderEndpoint(snapshot(workers(), { deleting: true })).contextValue, 'endpointDeleting');
  });

  it('marks a favourite and one that needs attention, to the eye and to the ear', () => {
    const row = renderEndpoint(snapshot(workers('IDLE'), { inTrouble: true }), true);
    assert.deepEqual([row.description, row.icon], ['★ 1 idle · hello/', 'warning']);
    assert.equal(row.spoken, 'Endpoint hello, favourite, needs attention, 1 idle');
  });
});

describe('the tooltip of an endpoint', () => {
  it('shows only the last part of a local directory', () => {
    const text = endpointTooltip(snapshot(), undefined).source;
    assert.match(text, /`process:…\/hello`/);
    assert.match(text, /0 to 3/);
    assert.doesNotMatch(text, /\/home\/me/);
  });

  it('lets no name become markup or a link', () => {
    const evil = { ...endpoint, name: '[x](command:evil) **b** | <i> $(flame)' };
    const text = endpointTooltip(snapshot(workers(), { endpoint: evil }), undefined).source;
    assert.match(text, /\\\[x\\\] \\\(command\\:evil\\\) \\\*\\\*b/);
    assert.match(text, /\\\$ \\\(flame\\\)/);
  });

  it('links to what can be done, with the endpoint as argument', () => {
    const text = endpointTooltip(snapshot(), undefined).source;
    const argument = encodeURIComponent(JSON.stringify([{ kind: 'endpoint', endpointId: endpoint.id }]));
    assert.ok(text.includes(`(command:cloudCompute.endpoints.explain?${argument})`));
  });
});

describe('the line of a log that a tooltip quotes', () => {
  it('is the last that speaks of an error, or the last of all', () => {
    assert.equal(
      tellingLine(['Error: first', 'Error: second', '    at main (a.js:1:1)', 'Node.js v24']),
      'Error: second',
    );
    assert.equal(tellingLine(['one', 'two']), 'two');
    assert.equal(tellingLine([]), undefined);
  });
});

describe('the row of a worker', () => {
  it('shows a state that is not known as it is written', () => {
    for (const status of ['constructor', '__proto__']) {
      const row = renderWorker(worker('w', status));
      assert.equal(row.icon, 'question');
      assert.ok(row.description.startsWith(status));
    }
  });

  it('says state, uptime, hardware and version', () => {
    const { label, description, icon, spoken } = renderWorker(worker('w1'));
    assert.deepEqual([label, description, icon], ['w1', 'idle, up 1 min · CPU · v2', 'pass']);
    assert.equal(spoken, 'Worker w1, idle, up 1 min, CPU');
  });

  it('says that it runs an old version', () => {
    const row = renderWorker(worker('w1', 'IDLE', { isStale: true }));
    assert.equal(row.description, 'idle, up 1 min · CPU · v2, old version');
    assert.match(row.spoken, /runs an old version/);
  });

  it('names its GPUs', () => {
    const row = renderWorker(worker('w1', 'RUNNING', { gpuCount: 2, gpuTypeId: 'NVIDIA L4', uptimeSeconds: null }));
    assert.equal(row.description, 'running · 2 × NVIDIA L4 · v2');
  });

  it('carries a state that is newer than the product', () => {
    const { description, icon } = renderWorker(worker('w1', 'DRAINING', { uptimeSeconds: null }));
    assert.deepEqual([description, icon], ['draining · CPU · v2', 'question']);
  });

  it('has a tooltip with the way to its log', () => {
    assert.match(workerTooltip(worker('w1'), 'e1').source, /\[Show Logs\]\(command:cloudCompute\.logs\.open\?/);
  });
});

describe('the rows of releases', () => {
  it('say how far the newest has come', () => {
    assert.equal(
      renderReleases({ workers: undefined, releases }).description,
      'version 2 · rolling out, 1 of 2 workers',
    );
  });

  it('say what changed, and when', () => {
    const [newest, first] = releases.releases;
    assert.ok(newest && first);
    const row = renderRelease(newest, releases, NOW);
    assert.deepEqual(
      [row.label, row.description, row.icon],
      ['Version 2', 'image, env · 1 worker · 5 min ago', 'sync~spin'],
    );
    assert.equal(renderRelease(first, releases, NOW).description, 'created · 28 d 0 h ago');
  });

  it('tell no value of the environment', () => {
    const [newest] = releases.releases;
    assert.ok(newest);
    const text = releaseTooltip(newest).source;
    assert.match(text, /`a:1` \| `a:2`/);
    assert.match(text, /TOKEN/);
    assert.doesNotMatch(text, /secret/);
  });
});

describe('a duration', () => {
  for (const [seconds, text] of [
    [0, '0 s'],
    [59.9, '59 s'],
    [60, '1 min'],
    [3_900, '1 h 5 min'],
    [187_200, '2 d 4 h'],
  ] as const) {
    it(`of ${seconds} seconds reads ${text}`, () => assert.equal(duration(seconds), text));
  }
});

describe('an image', () => {
  for (const [image, text] of [
    ['registry.example.com/team/worker:1.2', 'worker:1.2'],
    ['worker@sha256:0123', 'worker'],
    ['process:/home/me/hello', 'hello/'],
  ] as const) {
    it(`${image} is ${text} on a row`, () => assert.equal(shortImage(image), text));
  }
});
