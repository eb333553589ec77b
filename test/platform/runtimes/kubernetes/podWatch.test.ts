import assert from 'node:assert/strict';
import { PodWatch, type PodObserver } from '../../../../src/platform/runtimes/kubernetes/podWatch.ts';
import { afterwards, cleanUp, eventually } from '../../support.ts';
import { clusterServer, json, pods, recordingClock, stalled, type Answer } from './clusterServer.ts';

/** Longest pause between two requests, in ms. Longer waits are time limits. */
const LONGEST_PAUSE_MS = 10_000;
const PAUSES = [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000];
const POD = { metadata: { name: 'worker-1', resourceVersion: '2' } };

const event = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
const EXPIRED = { code: 410, message: 'too old resource version' };
const ends =
  (text = ''): Answer =>
  (response) =>
    void response.end(text);

describe('The watch of pods', () => {
  afterEach(cleanUp);

  async function watching(random = (): number => 0) {
    const cluster = await clusterServer();
    const clock = recordingClock();
    const watch = new PodWatch(cluster.api(clock), { selector: 's', clock, random });
    const seen: string[] = [];
    const observer: PodObserver = {
      onPod: ({ metadata }) => void seen.push(`${metadata?.name} ${metadata?.resourceVersion}`),
      onGone: () => void seen.push('gone'),
      onReachable: (error) => void seen.push(error ? 'unreachable' : 'reachable'),
    };
    const start = (): void => {
      watch.observe('worker-1', observer);
      afterwards(() => {
        watch.close();
        return Promise.resolve();
      });
    };
    const pauses = (): number[] => clock.waits.filter((ms) => ms <= LONGEST_PAUSE_MS);
    let passed = 0;
    /** Ends `count` pauses, each after it has begun. */
    const pass = async (count: number): Promise<void> => {
      for (let left = count; left > 0; left--) {
        await eventually('a pause begins', () => pauses().length > passed);
        clock.advance(pauses()[passed++] ?? 0);
      }
      await eventually('the next pause begins', () => pauses().length > passed);
    };
    return { cluster, clock, start, seen, pauses, pass };
  }

  const MISBEHAVIORS: readonly (readonly [string, Answer])[] = [
    ['ends at once', ends()],
    ['ends at once after an event', ends(event('ADDED', POD))],
    ['is refused', json({ message: 'too old' }, 410)],
    ['has an expired version', ends(event('ERROR', EXPIRED))],
    ['fails', json({ message: 'no' }, 500)],
    ['breaks off', (response) => response.destroy()],
  ];
  for (const [what, answer] of MISBEHAVIORS) {
    it(`is repeated after growing pauses if it ${what}`, async () => {
      const { cluster, start, pauses, pass } = await watching();
      cluster.answers.watch = answer;
      start();
      await pass(PAUSES.length - 1);
      assert.deepEqual(pauses(), PAUSES);
      assert.equal(cluster.count('watch'), PAUSES.length);
      assert.ok(cluster.count('list') <= PAUSES.length);
    });
  }

  it('has pauses with a random part', async () => {
    const { cluster, start, pauses, pass } = await watching(() => 0.5);
    cluster.answers.watch = ends();
    start();
    await pass(2);
    assert.deepEqual(pauses(), [187.5, 375, 750]);
  });

  it('has short pauses again after a watch that lived', async () => {
    const { cluster, clock, start, pauses, pass } = await watching();
    cluster.answers.watch = ends();
    start();
    await pass(3);
    const open = Promise.withResolvers<() => void>();
    cluster.answers.watch = (response) => {
      response.write(' ');
      open.resolve(() => response.end());
    };
    clock.advance(pauses()[3] ?? 0);
    const end = await open.promise;
    clock.advance(1_000);
    cluster.answers.watch = ends();
    end();
    await eventually('the next watch has ended', () => pauses().length > 4);
    assert.equal(pauses()[4], 250);
  });

  it('lists the pods again after an expired version, and reports those that are gone', async () => {
    const { cluster, clock, start, seen, pauses } = await watching();
    cluster.answers.list = json(pods(POD));
    cluster.answers.watch = ends(event('ERROR', EXPIRED));
    start();
    await eventually('it pauses', () => pauses().length === 1);
    assert.equal(cluster.count('list'), 1, 'not before the pause');
    cluster.answers.list = json(pods());
    cluster.answers.watch = stalled(' ');
    clock.advance(250);
    await eventually('the pod is reported', () => seen.includes('gone'));
    assert.deepEqual(seen, ['worker-1 2', 'gone']);
  });

  it('lists the pods again after a watch that ended at once without an event', async () => {
    const { cluster, clock, start, seen, pauses } = await watching();
    cluster.answers.watch = ends();
    start();
    await eventually('it pauses', () => pauses().length === 1);
    cluster.answers.list = json(pods(POD));
    clock.advance(250);
    await eventually('the pod is reported', () => seen.includes('worker-1 2'));
  });

  it('reports a list that stops in the middle, and repeats it', async () => {
    const { cluster, clock, start, seen, pauses } = await watching();
    cluster.answers.list = stalled('{"items": [');
    start();
    await eventually('the list is requested', () => cluster.count('list') === 1);
    cluster.answers.list = json(pods(POD));
    clock.advance(20_000);
    await eventually('it pauses', () => pauses().length === 1);
    assert.deepEqual(seen, ['unreachable']);
    clock.advance(250);
    await eventually('the pod is reported', () => seen.includes('worker-1 2'));
    assert.deepEqual(seen, ['unreachable', 'worker-1 2', 'reachable']);
  });
});
