import assert from 'node:assert/strict';
import { newToken } from '../../../src/platform/ids.ts';
import type { RunSpec } from '../../../src/platform/runtimes/runSpec.ts';
import {
  StartError,
  type RunningWorker,
  type Runtime,
  type StartOptions,
} from '../../../src/platform/runtimes/runtime.ts';
import { afterwards, cleanUp, eventually } from '../support.ts';

/** What a runtime needs to run the workers of these tests. */
export interface RuntimeFixture {
  /** Another one on the same machine or engine, as after a restart of the platform. */
  readonly open: () => Runtime;
  /** The parts of a specification that run this script with Node.js. */
  readonly program: (script: string) => Promise<Pick<RunSpec, 'image' | 'entrypoint' | 'cmd' | 'env'>>;
  /** What cannot be started, and what the reason must say. */
  readonly failures: Readonly<Record<string, { readonly changes: Partial<RunSpec>; readonly message: RegExp }>>;
  /** Whether workers can react when they are asked to end. */
  readonly asksToEnd: boolean;
  /** Which runs of a killed platform are found: those that were up, also those that were about to start, or none. */
  readonly findsOrphans: 'all' | 'started' | 'none';
}

const STAYS = 'setInterval(() => {}, 60_000);';
const SAYS_UP = "console.log('up');";
/** A server that answers with its environment variable PORT. */
const SERVES =
  "require('node:http').createServer((_, response) => response.end(process.env.PORT)).listen(process.env.PORT, () => console.log('up'));";
const SERVER = { port: 80, healthPort: 80, healthPath: '/ping' };
/** Enough to fill a pipe many times. */
const MANY_BYTES = 2_000_000;
/** Requests that another worker answers meanwhile. */
const MANY_REQUESTS = 30;
const GRACE_MS = 60_000;
const SHORT_GRACE_MS = 100;

/** What every runtime must do, whatever it runs workers on. */
export function runtimeConformance(name: string, { open, program, ...fixture }: RuntimeFixture): void {
  describe(`The runtime of ${name}`, () => {
    afterEach(cleanUp);

    const specOf = async (script: string, changes: Partial<RunSpec> = {}): Promise<RunSpec> => {
      const { env, ...rest } = await program(script);
      return {
        labels: { owner: 'conformance', endpointId: 'endpoint1', workerId: 'worker1', runId: newToken() },
        protocol: { url: 'http://127.0.0.1:1/worker/v2', token: 'secret' },
        ...{ mounts: [], ports: [], resources: { gpus: 0 }, ...rest, ...changes },
        env: { ...env, ...changes.env },
      };
    };

    /** Starts a worker and collects what it writes. `cleanUp` ends it. */
    async function start(script: string, changes?: Partial<RunSpec>, options: Partial<StartOptions> = {}) {
      const said = { stdout: '', stderr: '' };
      const spec = await specOf(script, changes);
      const running = await open().start(spec, {
        onProgress: () => undefined,
        onOutput: (stream, chunk) => (said[stream] += Buffer.from(chunk).toString()),
        signal: new AbortController().signal,
        ...options,
      });
      afterwards(() => running.stop(0));
      return { running, said, spec };
    }

    async function startUntilUp(script: string, changes?: Partial<RunSpec>) {
      const started = await start(script, changes);
      await eventually('it is up', () => started.said.stdout.includes('up'));
      return started;
    }

    const ask = async (running: RunningWorker, init: RequestInit = {}): Promise<string> => {
      const { host, port } = await running.address(SERVER.port);
      return (await fetch(`http://${host}:${port}`, init)).text();
    };

    describe('hands over', () => {
      it('all that a worker writes, on both streams, before it reports the exit', async () => {
        const script = `process.stdout.write('o'.repeat(${MANY_BYTES})); process.stderr.write('e'.repeat(${MANY_BYTES}));`;
        const { running, said } = await start(script);
        assert.deepEqual(await running.exited, { code: 0, signal: null });
        assert.deepEqual([said.stdout.length, said.stderr.length], [MANY_BYTES, MANY_BYTES]);
        assert.match(said.stdout, /^o+$/);
        assert.match(said.stderr, /^e+$/);
      });

      it('the exit code', async () => {
        const { running } = await start('process.exit(7)');
        assert.deepEqual(await running.exited, { code: 7, signal: null });
      });

      it('the signal that ended a worker', async () => {
        const { running } = await start(`process.kill(process.pid, 'SIGKILL'); ${STAYS}`);
        assert.deepEqual(await running.exited, { code: null, signal: 'SIGKILL' });
      });
    });

    describe('gives a worker', () => {
      const PRINTS = 'console.log(JSON.stringify(process.env))';

      async function environmentOf(changes: Partial<RunSpec>): Promise<Record<string, string>> {
        const { running, said } = await start(PRINTS, changes);
        await running.exited;
        return JSON.parse(said.stdout) as Record<string, string>;
      }

      it('what its endpoint sets, over the defaults, and what the platform sets, over both', async () => {
        const env = { OWN: 'größe "quoted" $HOME', PYTHONUNBUFFERED: '', RUNPOD_POD_ID: 'forged' };
        const seen = await environmentOf({ env });
        assert.equal(seen['OWN'], env.OWN);
        assert.equal(seen['PYTHONUNBUFFERED'], '');
        assert.equal(seen['RUNPOD_SKIP_GPU_CHECK'], 'true');
        assert.deepEqual([seen['RUNPOD_POD_ID'], seen['RUNPOD_ENDPOINT_ID']], ['worker1', 'endpoint1']);
        assert.match(seen['RUNPOD_WEBHOOK_GET_JOB'] ?? '', /^http:.*\/endpoint1\/job-take\/worker1\?.*t=secret/);
      });

      it('the ports of its server in place of jobs, as the specification numbers them or as the runtime does', async () => {
        const seen = await environmentOf({ server: { port: 5000, healthPort: 5001, healthPath: '/up' } });
        assert.equal(seen['HEALTH_CHECK_PATH'], '/up');
        assert.notEqual(Number(seen['PORT']), Number(seen['PORT_HEALTH']));
        assert.ok(Number(seen['PORT']) > 0 && Number(seen['PORT_HEALTH']) > 0);
        assert.equal(seen['RUNPOD_WEBHOOK_GET_JOB'], undefined);
        const same = await environmentOf({ server: SERVER });
        assert.equal(same['PORT'], same['PORT_HEALTH']);
      });

      it('an address for each of its ports', async () => {
        const workers = await Promise.all([1, 2].map(() => startUntilUp(SERVES, { server: SERVER })));
        const addresses = await Promise.all(workers.map(({ running }) => running.address(SERVER.port)));
        assert.notDeepEqual(addresses[0], addresses[1], 'two workers with the same port have different addresses');
        for (const { running } of workers) assert.match(await ask(running), /^\d+$/);
      });
    });

    describe('stops a worker', () => {
      it('that reacts, in its own way', async function () {
        if (!fixture.asksToEnd) this.skip();
        const { running, said } = await startUntilUp(
          `process.on('SIGTERM', () => { console.log('bye'); process.exit(3); }); ${SAYS_UP} ${STAYS}`,
        );
        await running.stop(GRACE_MS);
        assert.deepEqual(await running.exited, { code: 3, signal: null });
        assert.match(said.stdout, /bye/);
      });

      it('that does not react, by force after its grace', async () => {
        const { running } = await startUntilUp(`process.on('SIGTERM', () => {}); ${SAYS_UP} ${STAYS}`);
        await running.stop(SHORT_GRACE_MS);
        if (fixture.asksToEnd) assert.deepEqual(await running.exited, { code: null, signal: 'SIGKILL' });
        else await running.exited;
      });

      it('together with its descendants', async () => {
        const spawns = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(SERVES)}], { stdio: 'inherit' });`;
        const { running } = await startUntilUp(spawns + STAYS, { server: SERVER });
        assert.match(await ask(running), /^\d+$/);
        await running.stop(SHORT_GRACE_MS);
        await assert.rejects(ask(running));
      });

      it('that has ended already, without any effect', async () => {
        const { running } = await start('');
        await running.exited;
        await running.stop(GRACE_MS);
      });
    });

    describe('freezes a worker', () => {
      before(function () {
        if (!open().canFreeze) this.skip();
      });

      it('so that it does nothing until it is thawed', async () => {
        const [frozen, other] = await Promise.all([1, 2].map(() => startUntilUp(SERVES, { server: SERVER })));
        assert.ok(frozen && other);
        await frozen.running.freeze();
        let isAnswered = false;
        const answer = ask(frozen.running).then((text) => {
          isAnswered = true;
          return text;
        });
        for (let request = 0; request < MANY_REQUESTS; request++) await ask(other.running);
        assert.ok(!isAnswered);
        await frozen.running.thaw();
        assert.match(await answer, /^\d+$/);
      });

      it('and stops it all the same', async () => {
        const { running } = await startUntilUp(SAYS_UP + STAYS);
        await running.freeze();
        await running.stop(SHORT_GRACE_MS);
        await running.exited;
      });
    });

    describe('ends what a killed platform has left', () => {
      const stored = (handle: unknown): unknown => JSON.parse(JSON.stringify(handle));

      it('by the handle of a run, and nothing else', async function () {
        if (fixture.findsOrphans === 'none') this.skip();
        const orphan = await startUntilUp(SAYS_UP + STAYS);
        const other = await startUntilUp(SERVES, { server: SERVER });
        assert.ok((await open().endOrphans([stored(orphan.running.handle)])) > 0);
        await orphan.running.exited;
        assert.match(await ask(other.running), /^\d+$/);
        assert.equal(await open().endOrphans([stored(orphan.running.handle)]), 0, 'it is gone');
      });

      it('also by the handle from before the start', async function () {
        if (fixture.findsOrphans !== 'all') this.skip();
        const { running, spec } = await startUntilUp(SAYS_UP + STAYS);
        assert.ok((await open().endOrphans([stored(open().handleOf(spec.labels.runId))])) > 0);
        await running.exited;
      });

      it('and ignores handles of other runtimes', async () => {
        const foreign = [null, 7, 'text', [], {}, { runtime: 'another', runId: 'r' }];
        assert.equal(await open().endOrphans(foreign), 0);
        assert.equal(await open().endOrphans([]), 0);
      });

      it('with handles that hold no secret', async () => {
        const { running, spec } = await start(STAYS, { env: { TOKEN: 'hush-hush' } });
        const handles = JSON.stringify([running.handle, open().handleOf(spec.labels.runId)]);
        for (const secret of ['hush-hush', spec.protocol.token]) assert.ok(!handles.includes(secret));
      });
    });

    describe('reports why a worker cannot be started:', () => {
      for (const [what, { changes, message }] of Object.entries(fixture.failures)) {
        it(what, async () => {
          await assert.rejects(start(STAYS, changes), (error) => {
            assert.ok(error instanceof StartError);
            assert.match(error.message, message);
            return true;
          });
        });
      }
    });

    describe('aborts a start', () => {
      const isReason = (error: unknown): boolean => error === reason;
      const reason = new Error('it is no longer needed');

      async function leavesNothing(abort: (controller: AbortController) => void): Promise<void> {
        const controller = new AbortController();
        const spec = await specOf(SAYS_UP + STAYS);
        const runtime = open();
        const { signal } = controller;
        const starting = runtime.start(spec, { onProgress: () => undefined, onOutput: () => undefined, signal });
        afterwards(() => starting.then((running) => running.stop(0)).catch(() => undefined));
        abort(controller);
        await assert.rejects(starting, isReason);
        if (fixture.findsOrphans === 'all') {
          assert.equal(await open().endOrphans([runtime.handleOf(spec.labels.runId)]), 0);
        }
      }

      it('that is under way, and leaves nothing of it', async () => {
        await leavesNothing((controller) => controller.abort(reason));
      });

      it('that is not needed any more when it begins', async () => {
        const { signal } = new AbortController();
        const aborted = AbortSignal.any([signal, AbortSignal.abort(reason)]);
        await assert.rejects(start(STAYS, {}, { signal: aborted }), isReason);
      });
    });
  });
}
