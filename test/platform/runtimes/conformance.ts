import assert from 'node:assert/strict';
import { newToken } from '../../../src/platform/ids.ts';
import type { RunSpec } from '../../../src/platform/runtimes/runSpec.ts';
import {
  StartError,
  type RunIdentity,
  type RunningWorker,
  type Runtime,
  type StartOptions,
} from '../../../src/platform/runtimes/runtime.ts';
import { afterwards, cleanUp, eventually } from '../support.ts';

/** The parts of the conformance tests that depend on the runtime. */
export interface RuntimeFixture {
  /** Creates another instance on the same machine or engine, as after a restart of the platform. */
  readonly open: () => Runtime;
  /** Resolves with the parts of a specification that run the script with Node.js. */
  readonly program: (script: string) => Promise<Pick<RunSpec, 'image' | 'entrypoint' | 'cmd' | 'env'>>;
  /** Specifications that cannot be started, and the expected messages. */
  readonly failures: Readonly<Record<string, { readonly changes: Partial<RunSpec>; readonly message: RegExp }>>;
  /** Whether workers can handle a request to exit. */
  readonly handlesExitRequests: boolean;
  /** Runs of a killed platform that can be found. `started` excludes runs that were about to start. */
  readonly findsOrphans: 'all' | 'started' | 'none';
  /** Whether the output contains both streams of a worker as standard output. Default: false. */
  readonly mergesStreams?: boolean;
}

const STAYS = 'setInterval(() => {}, 60_000);';
const PRINTS_UP = "console.log('up');";
/** A server that responds with its environment variable PORT. */
const SERVES =
  "require('node:http').createServer((_, response) => response.end(process.env.PORT)).listen(process.env.PORT, () => console.log('up'));";
const SERVER = { port: 80, healthPort: 80, healthPath: '/ping' };
/** Number of bytes that fills a pipe many times. */
const MANY_BYTES = 2_000_000;
/** Number of requests that another worker answers in the meantime. */
const MANY_REQUESTS = 30;
const quiet: StartOptions = {
  ...{
    onProgress: () => undefined,
    onOutput: () => undefined,
    onImage: (digest) => digest,
    onReachable: () => undefined,
  },
  signal: new AbortController().signal,
};
const identityOf = ({ labels: { runId }, image }: RunSpec): RunIdentity => ({ runId, image });
const GRACE_MS = 60_000;
const SHORT_GRACE_MS = 100;

/** Defines the tests that every runtime must pass. */
export function runtimeConformance(name: string, { open, program, ...fixture }: RuntimeFixture): void {
  describe(`Runtime for ${name}`, () => {
    afterEach(cleanUp);

    const specOf = async (script: string, changes: Partial<RunSpec> = {}): Promise<RunSpec> => {
      const { env, ...rest } = await program(script);
      return {
        labels: { owner: 'conformance', endpointId: 'endpoint1', workerId: 'worker1', runId: newToken() },
        protocol: { url: 'http://127.0.0.1:1/worker/v2', token: 'secret' },
        ...{
          mounts: [],
          ports: changes.server ? [changes.server.port] : [],
          resources: { gpus: 0 },
          ...rest,
          ...changes,
        },
        env: { ...env, ...changes.env },
      };
    };

    /** Starts a worker and collects its output. `cleanUp` stops it. */
    async function start(
      script: string,
      changes?: Partial<RunSpec>,
      options: Partial<StartOptions> = {},
      runtime = open(),
    ) {
      const said = { stdout: '', stderr: '' };
      const spec = await specOf(script, changes);
      const running = await runtime.start(spec, {
        ...quiet,
        onOutput: (stream, chunk) => (said[stream] += Buffer.from(chunk).toString()),
        ...options,
      });
      afterwards(() => running.stop(0));
      return { running, said, spec };
    }

    async function startUntilUp(script: string, changes?: Partial<RunSpec>) {
      const started = await start(script, changes);
      await eventually('the worker is up', () => started.said.stdout.includes('up'));
      return started;
    }

    const ask = async (running: RunningWorker, init: RequestInit = {}): Promise<string> => {
      const { host, port } = await running.address(SERVER.port);
      return (await fetch(`http://${host}:${port}`, init)).text();
    };

    describe('output and exit', () => {
      it('delivers all output on both streams before it reports the exit', async () => {
        const script = `process.stdout.write('o'.repeat(${MANY_BYTES})); process.stderr.write('e'.repeat(${MANY_BYTES}));`;
        const { running, said } = await start(script);
        assert.deepEqual(await running.exited, { code: 0, signal: null });
        if (fixture.mergesStreams) {
          const count = (letter: string): number => said.stdout.split(letter).length - 1;
          assert.deepEqual([count('o'), count('e'), said.stdout.length], [MANY_BYTES, MANY_BYTES, 2 * MANY_BYTES]);
          return;
        }
        assert.deepEqual([said.stdout.length, said.stderr.length], [MANY_BYTES, MANY_BYTES]);
        assert.match(said.stdout, /^o+$/);
        assert.match(said.stderr, /^e+$/);
      });

      it('reports the exit code', async () => {
        const { running } = await start('process.exit(7)');
        assert.deepEqual(await running.exited, { code: 7, signal: null });
      });

      it('reports the signal that ended a worker', async () => {
        const { running } = await start(`process.kill(process.pid, 'SIGKILL'); ${STAYS}`);
        assert.deepEqual(await running.exited, { code: null, signal: 'SIGKILL' });
      });
    });

    describe('environment', () => {
      const PRINTS = 'console.log(JSON.stringify(process.env))';

      async function environmentOf(changes: Partial<RunSpec>): Promise<Record<string, string>> {
        const { running, said } = await start(PRINTS, changes);
        await running.exited;
        return JSON.parse(said.stdout) as Record<string, string>;
      }

      it('prefers variables of the endpoint to defaults, and variables of the platform to both', async () => {
        const env = { OWN: 'größe "quoted" $HOME', PYTHONUNBUFFERED: '', RUNPOD_POD_ID: 'forged' };
        const seen = await environmentOf({ env });
        assert.equal(seen['OWN'], env.OWN);
        assert.equal(seen['PYTHONUNBUFFERED'], '');
        assert.equal(seen['RUNPOD_SKIP_GPU_CHECK'], 'true');
        assert.deepEqual([seen['RUNPOD_POD_ID'], seen['RUNPOD_ENDPOINT_ID']], ['worker1', 'endpoint1']);
        const { RUNPOD_WEBHOOK_GET_JOB: take = '', RUNPOD_AI_API_KEY: key } = seen;
        assert.match(take, /^http:.*\/endpoint1\/job-take\/worker1\?/);
        assert.ok(take.includes('t=secret') !== (key === 'secret'), 'the token is in either the address or the key');
      });

      it('contains the ports of a server instead of the URLs for jobs', async () => {
        const seen = await environmentOf({ server: { port: 5000, healthPort: 5001, healthPath: '/up' } });
        assert.equal(seen['HEALTH_CHECK_PATH'], '/up');
        assert.notEqual(Number(seen['PORT']), Number(seen['PORT_HEALTH']));
        assert.ok(Number(seen['PORT']) > 0 && Number(seen['PORT_HEALTH']) > 0);
        assert.equal(seen['RUNPOD_WEBHOOK_GET_JOB'], undefined);
        const same = await environmentOf({ server: SERVER });
        assert.equal(same['PORT'], same['PORT_HEALTH']);
      });

      it('lets several workers use the same port of their specifications', async () => {
        const workers = await Promise.all([1, 2].map(() => startUntilUp(SERVES, { server: SERVER })));
        const addresses = await Promise.all(workers.map(({ running }) => running.address(SERVER.port)));
        assert.notDeepEqual(addresses[0], addresses[1], 'two workers with the same port have different addresses');
        for (const { running } of workers) assert.match(await ask(running), /^\d+$/);
      });
    });

    describe('stop', () => {
      it('lets a worker exit on its own', async function () {
        if (!fixture.handlesExitRequests) this.skip();
        const { running, said } = await startUntilUp(
          `process.on('SIGTERM', () => { console.log('bye'); process.exit(3); }); ${PRINTS_UP} ${STAYS}`,
        );
        await running.stop(GRACE_MS);
        assert.deepEqual(await running.exited, { code: 3, signal: null });
        assert.match(said.stdout, /bye/);
      });

      it('kills a worker that does not exit within the grace time', async () => {
        const { running } = await startUntilUp(`process.on('SIGTERM', () => {}); ${PRINTS_UP} ${STAYS}`);
        await running.stop(SHORT_GRACE_MS);
        if (fixture.handlesExitRequests) assert.deepEqual(await running.exited, { code: null, signal: 'SIGKILL' });
        else await running.exited;
      });

      it('ends the descendants of a worker', async () => {
        const spawns = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(SERVES)}], { stdio: 'inherit' });`;
        const { running } = await startUntilUp(spawns + STAYS, { server: SERVER });
        assert.match(await ask(running), /^\d+$/);
        await running.stop(SHORT_GRACE_MS);
        await assert.rejects(ask(running));
      });

      it('does nothing if the worker has already ended', async () => {
        const { running } = await start('');
        await running.exited;
        await running.stop(GRACE_MS);
      });
    });

    describe('freeze', () => {
      before(function () {
        if (!open().canFreeze('process:/')) this.skip();
      });

      it('suspends a worker until it is thawed', async () => {
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

      it('allows a frozen worker to be stopped', async () => {
        const { running } = await startUntilUp(PRINTS_UP + STAYS);
        await running.freeze();
        await running.stop(SHORT_GRACE_MS);
        await running.exited;
      });
    });

    const stored = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)));

    describe('adopt', () => {
      before(async function () {
        if (!open().canAdopt((await specOf('')).image)) this.skip();
      });

      /** Prints a number every 20 ms, also while no platform follows it, and exits after 200 lines. */
      const COUNTS =
        'let line = 0; const print = () => { console.log(`line ${++line}`); if (line === 200) process.exit(4); }; print(); setInterval(print, 20);';
      const COUNTED = Array.from({ length: 200 }, (_, index) => `line ${index + 1}\n`).join('');

      /** Starts a worker on a runtime that can be killed: from then on, its reports are ignored. */
      async function startUnderKill(script: string, changes: Partial<RunSpec> = {}) {
        const runtime = open();
        const killed = { is: false, position: undefined as unknown, stdout: '' };
        const { running, spec } = await start(
          script,
          changes,
          {
            onOutput: (_stream, chunk, _at, position) => {
              if (killed.is) return;
              killed.stdout += Buffer.from(chunk).toString();
              killed.position = stored(position?.());
            },
          },
          runtime,
        );
        // A worker that is left and not adopted has no other end.
        afterwards(async () => {
          await open().endOrphans([stored(running.handle)]);
        });
        await eventually('the worker prints', () => killed.stdout.includes('\n'));
        return { running, spec, killed, runtime };
      }

      async function adopt(
        { running, spec, killed }: Awaited<ReturnType<typeof startUnderKill>>,
        { frozen = false, runtime = open() } = {},
      ) {
        killed.is = true;
        // Otherwise, the run of the killed runtime would remove the container at its end.
        running.leave?.();
        const said = { stdout: killed.stdout };
        const adopted = await runtime.adopt(stored(running.handle), spec, {
          ...{ position: killed.position, frozen, onReachable: () => undefined, signal: quiet.signal },
          onOutput: (_stream, chunk) => (said.stdout += Buffer.from(chunk).toString()),
        });
        if (adopted) afterwards(() => adopted.stop(0));
        return { adopted, said };
      }

      it('continues the output without a lost or doubled line, and reports the exit', async () => {
        const before = await startUnderKill(COUNTS);
        const { adopted, said } = await adopt(before);
        assert.ok(adopted);
        assert.deepEqual([adopted.handle, adopted.label], [before.running.handle, before.running.label]);
        assert.deepEqual(await adopted.exited, { code: 4, signal: null });
        assert.equal(said.stdout, COUNTED);
      });

      it('delivers the rest of the output of a worker that has ended in the meantime', async function () {
        const before = await startUnderKill(COUNTS);
        before.running.leave?.();
        before.killed.is = true;
        await eventually('the worker ended', async () => {
          const { adopted, said } = await adopt(before);
          if (!adopted?.hadEnded) {
            adopted?.leave?.();
            return false;
          }
          assert.deepEqual(await adopted.exited, { code: 4, signal: null });
          assert.equal(said.stdout, COUNTED);
          return true;
        });
      });

      it('knows the address of the worker, and stops it', async () => {
        const before = await startUnderKill(SERVES, { server: SERVER });
        const { adopted } = await adopt(before);
        assert.ok(adopted);
        assert.deepEqual(await adopted.address(SERVER.port), await before.running.address(SERVER.port));
        assert.match(await ask(adopted), /^\d+$/);
        await adopted.stop(SHORT_GRACE_MS);
        await adopted.exited;
        await assert.rejects(ask(before.running));
        assert.equal((await adopt(before)).adopted, undefined, 'nothing is left to adopt');
      });

      it('keeps a frozen worker frozen, or thaws it', async function () {
        if (!open().canFreeze('process:/')) this.skip();
        const before = await startUnderKill(SERVES, { server: SERVER });
        await before.running.freeze();
        const { adopted } = await adopt(before, { frozen: true });
        assert.ok(adopted);
        await adopted.thaw();
        assert.match(await ask(adopted), /^\d+$/);
        await adopted.freeze();
        const { adopted: thawed } = await adopt(before, { frozen: false });
        assert.ok(thawed);
        assert.match(await ask(thawed), /^\d+$/);
      });

      it('refuses a worker with another specification, and one that never started', async () => {
        const before = await startUnderKill(PRINTS_UP + STAYS);
        const { spec } = before;
        const other = { ...spec, protocol: { ...spec.protocol, token: 'another' } };
        assert.equal((await adopt({ ...before, spec: other })).adopted, undefined);
        const unknown = { ...spec, labels: { ...spec.labels, runId: newToken() } };
        assert.equal((await adopt({ ...before, spec: unknown })).adopted, undefined);
      });

      it('lets a worker run on that is left, and removes all others with its runtime', async () => {
        const before = await startUnderKill(SERVES, { server: SERVER });
        before.running.leave?.();
        await before.runtime.close();
        assert.match(await ask(before.running), /^\d+$/);
        const runtime = open();
        const { adopted } = await adopt(before, { runtime });
        assert.ok(adopted);
        await runtime.close();
        const hasEnded = () =>
          ask(before.running).then(
            () => false,
            () => true,
          );
        await eventually('the worker has ended', hasEnded);
      });
    });

    describe('endOrphans', () => {
      it('ends the run of a handle, and no other run', async function () {
        if (fixture.findsOrphans === 'none') this.skip();
        const orphan = await startUntilUp(PRINTS_UP + STAYS);
        const other = await startUntilUp(SERVES, { server: SERVER });
        assert.ok((await open().endOrphans([stored(orphan.running.handle)])) > 0);
        await orphan.running.exited;
        assert.match(await ask(other.running), /^\d+$/);
        assert.equal(await open().endOrphans([stored(orphan.running.handle)]), 0, 'nothing is left to end');
      });

      it('finds a run by the handle that it had before its start', async function () {
        if (fixture.findsOrphans !== 'all') this.skip();
        const { running, spec } = await startUntilUp(PRINTS_UP + STAYS);
        assert.ok((await open().endOrphans([stored(open().handleOf(identityOf(spec)))])) > 0);
        await running.exited;
      });

      it('ignores handles of other runtimes', async () => {
        const foreign = [null, 7, 'text', [], {}, { runtime: 'another', runId: 'r' }];
        assert.equal(await open().endOrphans(foreign), 0);
        assert.equal(await open().endOrphans([]), 0);
      });

      it('keeps secrets out of handles', async () => {
        const { running, spec } = await start(STAYS, { env: { TOKEN: 'hush-hush' } });
        const handles = JSON.stringify([running.handle, open().handleOf(identityOf(spec))]);
        for (const secret of ['hush-hush', spec.protocol.token]) assert.ok(!handles.includes(secret));
      });
    });

    describe('start', () => {
      for (const [what, { changes, message }] of Object.entries(fixture.failures)) {
        it(`rejects ${what} with the reason`, async () => {
          await assert.rejects(start(STAYS, changes), (error) => {
            assert.ok(error instanceof StartError);
            assert.match(error.message, message);
            return true;
          });
        });
      }
    });

    describe('aborted start', () => {
      const isReason = (error: unknown): boolean => error === reason;
      const reason = new Error('the worker is no longer needed');

      async function assertNothingLeft(abort: (controller: AbortController) => void): Promise<void> {
        const controller = new AbortController();
        const spec = await specOf(PRINTS_UP + STAYS);
        const runtime = open();
        const { signal } = controller;
        const starting = runtime.start(spec, { ...quiet, signal });
        afterwards(() => starting.then((running) => running.stop(0)).catch(() => undefined));
        abort(controller);
        await assert.rejects(starting, isReason);
        if (fixture.findsOrphans === 'all') {
          assert.equal(await open().endOrphans([runtime.handleOf(identityOf(spec))]), 0);
        }
      }

      it('leaves nothing behind if it was in progress', async () => {
        await assertNothingLeft((controller) => controller.abort(reason));
      });

      it('starts nothing if the signal was already aborted', async () => {
        const { signal } = new AbortController();
        const aborted = AbortSignal.any([signal, AbortSignal.abort(reason)]);
        await assert.rejects(start(STAYS, {}, { signal: aborted }), isReason);
      });
    });
  });
}
