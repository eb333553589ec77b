import assert from 'node:assert/strict';
import type { LocalPlatformState } from '../../../../src/account/localPlatform/localPlatformStore.ts';
import {
  actionsIn,
  resetDetail,
  stateWords,
  statusWords,
} from '../../../../src/features/local/platform/localPlatformWords.ts';

const announcement = {
  baseUrl: 'http://127.0.0.1:4711',
  restUrl: 'http://127.0.0.1:4711',
  queueUrl: 'http://127.0.0.1:4711/queue/v2',
  endpointHost: 'http://127.0.0.1:4711/endpoints/{endpoint_id}',
  apiKey: 'never-shown',
  s3Url: 'http://127.0.0.1:4711',
  s3AccessKeyId: 'owner0123456789abcdef',
  s3SecretAccessKey: 'never-shown',
  pid: 42,
  dataDir: '/data/`platform`|1',
};
const states: Record<LocalPlatformState['kind'], LocalPlatformState> = {
  stopped: { kind: 'stopped' },
  starting: { kind: 'starting' },
  running: { kind: 'running', announcement },
  stopping: { kind: 'stopping' },
  failed: { kind: 'failed', message: 'port 4711 is taken' },
};

describe('the local platform in the status bar', () => {
  const expected: [LocalPlatformState['kind'], string][] = [
    ['stopped', '$(vm-outline) Local: stopped'],
    ['starting', '$(loading~spin) Local: starting…'],
    ['running', '$(vm-running) Local: running'],
    ['stopping', '$(loading~spin) Local: stopping…'],
    ['failed', '$(error) Local: failed'],
  ];
  for (const [kind, text] of expected) {
    it(`shows the state “${kind}”`, () => {
      const words = statusWords(states[kind], true);
      assert.equal(words?.text.text, text);
      assert.equal(stateWords(states[kind]), kind);
      assert.equal(words.spoken, `Cloud Compute: the local platform is ${kind}. Manage it`);
      assert.ok(!words.tooltip.source.includes(announcement.apiKey));
    });
  }

  it('is hidden while the platform is stopped and is not the current connection', () => {
    assert.equal(statusWords(states.stopped, false), undefined);
    assert.ok(statusWords(states.failed, false));
  });

  it('shows the address and the data directory, or the reason of a failure', () => {
    const tooltip = statusWords(states.running, true)?.tooltip.source ?? '';
    assert.match(
      tooltip,
      /\| Address \| `http:\/\/127\.0\.0\.1:4711` \|\n\| Process \| 42 \|\n\| Data \| ``\/data\/`platform`\\\|1`` \|/,
    );
    assert.match(statusWords(states.failed, true)?.tooltip.source ?? '', /`port 4711 is taken`/);
    const inMemory: LocalPlatformState = { kind: 'running', announcement: { ...announcement, dataDir: null } };
    assert.match(statusWords(inMemory, true)?.tooltip.source ?? '', /in memory until the platform stops/);
  });
});

describe('the actions of the local platform', () => {
  const expected: Record<LocalPlatformState['kind'], string[]> = {
    stopped: ['start', 'reset', 'openLog', 'showDataFolder'],
    starting: ['stop', 'openLog', 'showDataFolder'],
    running: ['stop', 'restart', 'reset', 'openLog', 'showDataFolder'],
    stopping: ['openLog', 'showDataFolder'],
    failed: ['start', 'reset', 'openLog', 'showDataFolder'],
  };
  for (const state of Object.values(states)) {
    it(`depend on its state: ${state.kind}`, () => {
      assert.deepEqual(
        actionsIn(state).map(({ action }) => action),
        expected[state.kind],
      );
    });
  }

  it('list what a reset deletes and what it keeps', () => {
    const detail = resetDetail(states.running, '/data').text;
    for (const lost of [
      'endpoints',
      'jobs',
      'logs',
      'templates',
      'credentials',
      'volumes',
      'usage',
      'workers stop',
      '/data',
    ]) {
      assert.ok(detail.includes(lost), lost);
    }
    assert.match(detail, /The workspace is unchanged/);
    assert.doesNotMatch(resetDetail(states.stopped, '/data').text, /workers stop/);
  });
});
