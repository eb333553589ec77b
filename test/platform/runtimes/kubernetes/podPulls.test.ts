import assert from 'node:assert/strict';
import { PodPulls } from '../../../../src/platform/runtimes/kubernetes/podPulls.ts';
import { startProgress } from '../../../../src/platform/runtimes/kubernetes/podState.ts';
import { afterwards, cleanUp, eventually } from '../../support.ts';
import { clusterServer, json, recordingClock, stalled, type Answer } from './clusterServer.ts';

const event = (reason: string, name = 'worker-1', type = 'ADDED'): string =>
  `${JSON.stringify({ type, object: { reason, involvedObject: { name } } })}\n`;
const sends =
  (text: string): Answer =>
  (response) =>
    void response.end(text);

describe('The pulls of pods', () => {
  afterEach(cleanUp);

  async function observing(answer?: Answer) {
    const cluster = await clusterServer();
    if (answer) cluster.answers.events = answer;
    const clock = recordingClock();
    const pulls = new PodPulls(cluster.api(clock), clock);
    afterwards(() => {
      pulls.close();
      return Promise.resolve();
    });
    const seen: string[] = [];
    const observe = (name = 'worker-1') => pulls.observe(name, (state) => seen.push(state));
    const stop = observe();
    return { cluster, clock, seen, observe, stop };
  }

  it('are unknown without the permission, and are asked for again by the next start', async () => {
    const { cluster, seen, stop, observe } = await observing();
    await eventually('it is refused', () => seen.length === 1);
    assert.deepEqual(seen, ['unknown']);
    stop();
    cluster.answers.events = stalled(event('Pulling'));
    observe();
    await eventually('the pull is reported', () => seen.includes('pulling'));
    assert.deepEqual(seen, ['unknown', 'none', 'pulling']);
    assert.equal(cluster.count('events'), 2);
  });

  it('are told once in their order, also by a stream that begins again', async () => {
    const { cluster, clock, seen } = await observing(sends(event('Pulling') + event('Pulling', 'other')));
    await eventually('it pauses', () => clock.waits.includes(250) || clock.waits.some((ms) => ms < 250));
    cluster.answers.events = stalled(event('Pulled') + event('Pulling') + event('Unknown'));
    clock.advance(250);
    await eventually('the image is there', () => seen.includes('pulled'));
    assert.deepEqual(seen, ['none', 'pulling', 'pulled']);
  });

  it('are unknown while the cluster fails, and are told later', async () => {
    const { cluster, clock, seen } = await observing(json({}, 500));
    await eventually('it fails', () => seen.includes('unknown'));
    cluster.answers.events = stalled(event('Pulled'));
    await eventually('it pauses', () => clock.waits.some((ms) => ms <= 250));
    clock.advance(250);
    await eventually('the image is there', () => seen.includes('pulled'));
    assert.deepEqual(seen, ['unknown', 'none', 'pulled']);
  });

  it('decide between the pull and the creation of a pod with a node', () => {
    const placed = { kind: 'placed' } as const;
    const pulling = { kind: 'pulling' } as const;
    const noPlace = { kind: 'noPlace', reason: 'no room' } as const;
    const states = [undefined, 'unknown', 'none', 'pulling', 'pulled'] as const;
    const progress = (shown: Parameters<typeof startProgress>[0]) => states.map((pull) => startProgress(shown, pull));
    assert.deepEqual(progress(pulling), [undefined, pulling, placed, pulling, placed]);
    assert.deepEqual(progress(noPlace), [noPlace, noPlace, noPlace, pulling, placed]);
    assert.deepEqual(progress(undefined), [undefined, undefined, undefined, pulling, placed]);
  });
});
