import assert from 'node:assert/strict';
import { PodLog } from '../../../../src/platform/runtimes/kubernetes/podLog.ts';
import { cleanUp, eventually } from '../../support.ts';
import { clusterServer, recordingClock, stalled } from './clusterServer.ts';

const line = (second: number): string => `2026-01-01T00:00:0${second}.000000000Z line ${second}\n`;
const RENEW_MS = 120_000;
const END_MS = 7_000;
const STALLED_MS = 45_000;

describe('The log of a pod', () => {
  afterEach(cleanUp);

  async function followed() {
    const server = await clusterServer();
    const clock = recordingClock();
    server.answers.log = stalled(line(1));
    let text = '';
    const onOutput = (_stream: string, chunk: Uint8Array): void => void (text += Buffer.from(chunk).toString());
    const log = new PodLog({ api: server.api(clock), clock, name: 'worker-1', onOutput });
    await eventually('the line is delivered', () => text === 'line 1\n');
    const requests = (count: number) => eventually(`request ${count}`, () => server.count('log') === count);
    const pausing = () => eventually('it pauses', () => clock.waits.some((ms) => ms <= 250));
    return { server, clock, log, requests, pausing, text: () => text };
  }

  it('is requested again if it is silent, and delivers each line once', async () => {
    const { server, clock, log, requests, pausing, text } = await followed();
    server.answers.log = stalled(line(1) + line(2));
    clock.advance(RENEW_MS);
    await pausing();
    clock.advance(250);
    await requests(2);
    await eventually('the next line is delivered', () => text() === 'line 1\nline 2\n');
    log.abandon();
    await log.done;
  });

  it('is read to the end after its worker has ended, although responses stall', async () => {
    const { server, clock, log, requests, text } = await followed();
    log.end();
    clock.advance(END_MS);
    await requests(2);
    server.answers.log = (response) => void response.end(line(1) + line(2));
    const before = clock.waits.length;
    clock.advance(STALLED_MS);
    await eventually('it pauses again', () => clock.waits.slice(before).some((ms) => ms <= 500));
    clock.advance(500);
    await log.done;
    assert.equal(text(), 'line 1\nline 2\n');
  });
});
