import assert from 'node:assert/strict';
import type { DebugBody, DebugEvent } from '../../../../src/contract/control/controlWorkers.ts';
import { DebugRefusal, PROCESS_END_MS, WorkerHold } from '../../../../src/features/local/develop/actions/holdWorker.ts';
import { eventually } from '../../../platform/support.ts';
import { steppedClock } from '../../steppedClock.ts';

const READY: DebugEvent = { event: 'ready', workerId: 'w1', language: 'node', port: 9229 };
const next: DebugEvent = { ...READY, port: 9230 };

/** A platform that holds one worker. Its stream ends with `end`, an error, or the signal of the client. */
class HeldWorker {
  readonly bodies: DebugBody[] = [];
  released = false;
  readonly #controller = Promise.withResolvers<ReadableStreamDefaultController<DebugEvent>>();

  readonly open = (body: DebugBody, signal: AbortSignal): AsyncIterable<DebugEvent> => {
    this.bodies.push(body);
    return new ReadableStream<DebugEvent>({
      start: (controller) => {
        this.#controller.resolve(controller);
        signal.addEventListener('abort', () => {
          this.released = true;
          controller.close();
        });
      },
    });
  };

  async send(...events: DebugEvent[]): Promise<void> {
    const controller = await this.#controller.promise;
    for (const event of events) controller.enqueue(event);
  }

  async end(): Promise<void> {
    (await this.#controller.promise).close();
  }

  async fail(error: Error): Promise<void> {
    (await this.#controller.promise).error(error);
  }
}

describe('a hold on a worker', () => {
  const begin = (body: DebugBody = {}, signal = new AbortController().signal) => {
    const worker = new HeldWorker();
    const time = steppedClock();
    const begun = WorkerHold.begin(worker.open, body, { clock: time.clock, signal });
    // The caller handles a rejection later.
    begun.catch(() => undefined);
    return { worker, time, begun };
  };
  const held = async () => {
    const { worker, time, begun } = begin();
    await worker.send(READY);
    return { worker, time, hold: (await begun).hold };
  };

  it('begins with the first debugger, also after the worker had to start', async () => {
    const { worker, begun } = begin({ condition: 'job.input.user == 42' });
    await worker.send({ event: 'waiting', workerId: 'w1' }, READY);
    assert.deepEqual((await begun).ready, READY);
    assert.deepEqual(worker.bodies, [{ condition: 'job.input.user == 42' }]);
  });

  it('is refused with the problem of the platform', async () => {
    const { worker, begun } = begin();
    await worker.send({ event: 'failed', problem: 'notQueue', reason: 'no jobs' });
    await worker.end();
    await assert.rejects(begun, (error) => error instanceof DebugRefusal && error.problem === 'notQueue');
  });

  it('fails with the error of the stream, and if the worker stops before its debugger opens', async () => {
    const lost = begin();
    await lost.worker.fail(new Error('connection lost'));
    await assert.rejects(lost.begun, { message: 'connection lost' });
    const stopped = begin();
    await stopped.worker.send({ event: 'ended' });
    await stopped.worker.end();
    await assert.rejects(stopped.begun, DebugRefusal);
  });

  it('releases the worker if the beginning is canceled', async () => {
    const controller = new AbortController();
    const { worker, begun } = begin({}, controller.signal);
    controller.abort();
    await assert.rejects(begun, DebugRefusal);
    assert.ok(worker.released);
  });

  it('reports each job that meets the condition, and the debugger of each further process', async () => {
    const { worker, hold } = await held();
    const seen: unknown[] = [];
    hold.onMatched = (jobId) => void seen.push(jobId);
    hold.onReady = ({ port }) => void seen.push(port);
    await worker.send({ event: 'matched', workerId: 'w1', jobId: 'j1' });
    await worker.send({ event: 'waiting', workerId: 'w1' }, next, { event: 'matched', workerId: 'w1', jobId: 'j2' });
    await eventually('all events are reported', () => seen.length === 3);
    assert.deepEqual(seen, ['j1', 9230, 'j2']);
  });

  it('ends without an error when it is released, and with one when the worker fails', async () => {
    const first = await held();
    first.hold.release();
    assert.equal(await first.hold.ended, undefined);
    const second = await held();
    await second.worker.send({ event: 'failed', problem: 'notListening', reason: 'closed' });
    await second.worker.end();
    assert.ok((await second.hold.ended) instanceof DebugRefusal);
  });

  it('ends if no debugger attaches in time', async () => {
    const { worker, time, hold } = await held();
    hold.expectDebugger(PROCESS_END_MS);
    time.advance(PROCESS_END_MS);
    await hold.ended;
    assert.ok(worker.released);
  });

  it('continues if a debugger attaches in time, or the platform reports the end of the process', async () => {
    for (const attach of [true, false]) {
      const { worker, time, hold } = await held();
      hold.expectDebugger(PROCESS_END_MS);
      if (attach) hold.keep();
      else await worker.send({ event: 'waiting', workerId: 'w1' });
      await eventually('nothing waits', () => time.sleeping === 0);
      // The process has ended, so a new one may take any time.
      if (!attach) hold.expectDebugger(PROCESS_END_MS);
      time.advance(PROCESS_END_MS);
      assert.equal(time.sleeping, 0);
      assert.ok(!worker.released);
    }
  });

  it('still expects a debugger when a job meets the condition', async () => {
    const { worker, time, hold } = await held();
    hold.expectDebugger(PROCESS_END_MS);
    const matched = Promise.withResolvers<string>();
    hold.onMatched = matched.resolve;
    await worker.send({ event: 'matched', workerId: 'w1', jobId: 'j1' });
    await matched.promise;
    assert.equal(time.sleeping, 1);
  });
});
