import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { StartProgress } from '../../src/platform/domain/startProgress.ts';
import { StartError, type Runtime } from '../../src/platform/runtimes/runtime.ts';
import { newToken } from '../../src/platform/ids.ts';
import { afterwards, cleanUp, dataDirectory, eventually } from '../platform/support.ts';
import { buildImage, copyForArchitecture, NODE_IMAGE } from './images.ts';
import { testGate } from './testGate.ts';
import { containerRuntime } from '../../src/platform/runtimes/container/containerRuntime.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { outputOf, openRuntime, startWorker, STAYS, untilPrinted } from './workerSupport.ts';
import { onEngines } from './world.ts';

const OWNER = 'containers';
const MB = 1e6;

/** Sends a request to the platform at the address in the environment, and one to a server at the name of the machine. */
const REACH_GATE = `
  const url = new URL(process.env.RUNPOD_WEBHOOK_GET_JOB);
  const named = 'http://host.docker.internal:' + process.env.NAMED_PORT;
  const statusOf = (address) => fetch(address).then(({ status }) => status, ({ cause }) => String(cause) + ' ' + address);
  statusOf(url).then(async (first) => console.log(first, await statusOf(named)));
`;

describe('Containers of workers', () => {
  afterEach(cleanUp);

  onEngines(({ name, running }) => {
    const open = (): Runtime => openRuntime(running(), OWNER);
    const print = async (expression: string, changes?: Parameters<typeof outputOf>[3]) => {
      const { stdout } = await outputOf(open(), OWNER, `console.log(JSON.stringify(${expression}))`, changes);
      return JSON.parse(stdout) as unknown;
    };

    it('have the CPUs and the memory of their hardware, but no more CPUs than the machine', async () => {
      const { running: worker } = await startWorker(open(), OWNER, STAYS, {
        resources: { gpus: 0, vcpu: 0.5, memoryGb: 0.25 },
      });
      const id = worker.label.split(' ')[1] ?? '';
      const { HostConfig: host } = await running().api.json<{ HostConfig: Record<string, unknown> }>({
        path: `/v1.41/containers/${id}/json`,
      });
      assert.deepEqual([host['Memory'], host['MemorySwap'], host['NanoCpus']], [2 ** 28, 2 ** 28, 5e8]);
      assert.deepEqual([host['Privileged'], host['Init'] ?? true], [false, true]);
      assert.equal(await print('1', { resources: { gpus: 0, vcpu: 4096, memoryGb: 1 } }), 1);
    });

    it('are ended when they run out of memory, with the reason if the engine names it', async () => {
      const script = 'const all = []; for (;;) all.push(Buffer.alloc(10_000_000, 1));';
      const { exit } = await outputOf(open(), OWNER, script, { resources: { gpus: 0, memoryGb: 0.125 } });
      assert.deepEqual([exit.code, exit.signal], [null, 'SIGKILL']);
      if (name === 'Docker') assert.equal(exit.reason, 'outOfMemory');
    });

    it('are ended when they fill their disk, if the engine cannot limit it', async () => {
      const script = `require('node:fs').writeFileSync('/tmp/large', Buffer.alloc(${20 * MB}, 1)); console.log('up'); ${STAYS}`;
      const { running: worker } = await startWorker(open(), OWNER, script, { resources: { gpus: 0, diskGb: 0.01 } });
      assert.deepEqual(await worker.exited, { code: null, signal: 'SIGKILL', reason: 'outOfDisk' });
    });

    it('read and write the directories of their mounts', async () => {
      const directory = await dataDirectory();
      await writeFile(path.join(directory, 'in'), 'from outside');
      const script =
        "const fs = require('node:fs'); console.log(fs.readFileSync('/data/in', 'utf8')); fs.writeFileSync('/data/out', 'from inside');";
      const { stdout } = await outputOf(open(), OWNER, script, { mounts: [{ directory, path: '/data' }] });
      assert.equal(stdout, 'from outside\n');
      assert.equal(await readFile(path.join(directory, 'out'), 'utf8'), 'from inside');
    });

    it('run as the user of their image, and cannot gain privileges', async () => {
      const image = 'cloud-compute-test/user:1';
      await buildImage(running().api, image, { instructions: ['USER 1000'] });
      const [uid, status] = (await print(
        "[process.getuid(), require('fs').readFileSync('/proc/self/status', 'utf8')]",
        {
          image,
        },
      )) as [number, string];
      assert.equal(uid, 1000);
      assert.match(status, /^NoNewPrivs:\t1$/m);
    });

    it('use the entrypoint and the command of their image, unless the endpoint sets them', async () => {
      const image = 'cloud-compute-test/commands:1';
      const files = { 'app/main.js': 'console.log(JSON.stringify(process.argv.slice(1)))' };
      await buildImage(running().api, image, { files, instructions: ['CMD ["main.js", "own"]'] });
      const said = async (entrypoint: string[], cmd: string[]) =>
        JSON.parse((await outputOf(open(), OWNER, '', { image, entrypoint, cmd })).stdout) as unknown;
      assert.deepEqual(await said([], []), ['/app/main.js', 'own']);
      assert.deepEqual(await said([], ['main.js', 'other']), ['/app/main.js', 'other']);
      assert.deepEqual(await said(['node', 'main.js', 'new'], []), ['/app/main.js', 'new']);
    });

    it('reach the platform through the gate, also after the last container has gone', async () => {
      const { address } = running();
      for (let round = 1; round <= 2; round++) {
        // Another gate for each worker, because an open one keeps its address while the bridge has no container.
        const gate = testGate();
        const runtime = containerRuntime({ clock: systemClock, owner: OWNER, gate, address, environment: process.env });
        afterwards(() => runtime.close());
        const { port } = new URL(await testGate().open('0.0.0.0'));
        const { stdout } = await outputOf(runtime, OWNER, REACH_GATE, { env: { NAMED_PORT: port } });
        assert.equal(stdout, '200 200\n', `round ${round}`);
        assert.match(gate.paths[0] ?? '', /^\/worker\/v2\/endpoint1\/job-take\/worker1\?gpu=none$/);
      }
    });

    it('have a network of their endpoint, which stays for later ones until the platform stops', async () => {
      const labelled = { filters: JSON.stringify({ label: [`cloud-compute.owner=${OWNER}`] }) };
      const networks = async () => {
        const found = await running().api.json<{ Name: string }[]>({ path: '/v1.41/networks', query: labelled });
        return found.map(({ Name: network }) => network.split('-')[2]).toSorted();
      };
      const runtime = open();
      const labels = (endpointId: string) => ({
        ...{ owner: OWNER, endpointId, workerId: 'worker1', runId: newToken() },
      });
      const first = await startWorker(runtime, OWNER, STAYS, { labels: labels('endpoint1') });
      const second = await startWorker(runtime, OWNER, STAYS, { labels: labels('endpoint1') });
      const other = await startWorker(runtime, OWNER, STAYS, { labels: labels('endpoint2') });
      const both = ['endpoint1', 'endpoint2'];
      assert.deepEqual(await networks(), both);
      await first.running.stop(0);
      assert.deepEqual(await networks(), both);
      await Promise.all([second.running.stop(0), other.running.stop(0)]);
      const next = await startWorker(runtime, OWNER, STAYS, { labels: labels('endpoint2') });
      assert.deepEqual(await networks(), both);
      await next.running.stop(0);
      await runtime.close();
      await eventually('the networks are gone', async () => (await networks()).length === 0);
    });

    it('have networks even if the engine has no free addresses for them', async function () {
      if (name === 'Podman') this.skip();
      const { api } = running();
      const used: string[] = [];
      afterwards(async () => {
        for (const id of used) await api.json({ method: 'DELETE', path: `/v1.41/networks/${id}` });
      });
      for (let free = true; free;) {
        const body = { Name: `cloud-compute-test-${newToken()}` };
        const path_ = '/v1.41/networks/create';
        const created = await api.json<{ Id: string }>({ method: 'POST', path: path_, body }).catch(() => undefined);
        if (created) used.push(created.Id);
        free = created !== undefined;
      }
      assert.equal(await print('1'), 1);
    });

    it('use the network of a platform that was killed, which removes its other networks when it stops', async () => {
      const { api } = running();
      const create = async (endpointId: string): Promise<string> => {
        const name_ = `cloud-compute-${endpointId}-${newToken()}`;
        const labels = { 'cloud-compute.owner': OWNER, 'cloud-compute.endpoint': endpointId };
        await api.json({ method: 'POST', path: '/v1.41/networks/create', body: { Name: name_, Labels: labels } });
        return name_;
      };
      const networks = async (): Promise<string[]> => {
        const query = { filters: JSON.stringify({ label: [`cloud-compute.owner=${OWNER}`] }) };
        const found = await api.json<{ Name: string }[]>({ path: '/v1.41/networks', query });
        return found.map(({ Name: network }) => network).toSorted();
      };
      const earlier = [await create('endpoint8'), await create('endpoint9')];
      const runtime = open();
      await runtime.endOrphans([runtime.handleOf({ runId: 'gone', image: NODE_IMAGE })]);
      const labels = { owner: OWNER, endpointId: 'endpoint9', workerId: 'worker1', runId: newToken() };
      const { running: worker } = await startWorker(runtime, OWNER, STAYS, { labels });
      assert.deepEqual(await networks(), earlier.toSorted());
      await worker.stop(0);
      await runtime.close();
      await eventually('the networks are gone', async () => (await networks()).length === 0);
    });

    it('print lines with the time of the engine', async () => {
      const before = Date.now();
      const script = "console.log('first'); setTimeout(() => console.error('second'), 50)";
      const { running: worker, said } = await startWorker(open(), OWNER, script);
      await worker.exited;
      assert.deepEqual([said.stdout, said.stderr], ['first\n', 'second\n']);
      // Podman's times have whole seconds.
      for (const at of said.times) assert.ok(at !== undefined && at >= before - 1000 && at <= Date.now());
    });

    it('are gone once they have ended', async () => {
      const { running: worker, spec } = await startWorker(open(), OWNER, 'process.exit(1)');
      assert.deepEqual(await worker.exited, { code: 1, signal: null });
      assert.equal(await open().endOrphans([worker.handle]), 0);
      assert.match(worker.label, /^container [0-9a-f]{12}$/);
      assert.ok(JSON.stringify(worker.handle).includes(spec.labels.runId));
    });

    it('end without an exit code when another program removes them', async () => {
      const { running: worker, said } = await startWorker(open(), OWNER, `console.log('up'); ${STAYS}`);
      await untilPrinted(said, 'up');
      const id = worker.label.split(' ')[1] ?? '';
      await running().api.json({ method: 'DELETE', path: `/v1.41/containers/${id}`, query: { force: true } });
      const { reason } = await worker.exited;
      assert.equal(reason, undefined);
    });

    it('report an image that is built for another kind of machine', async () => {
      const image = 'cloud-compute-test/other-machine:1';
      await copyForArchitecture(running().api, image, 's390x');
      const seen: StartProgress[] = [];
      const onProgress = (progress: StartProgress): number => seen.push(progress);
      await startWorker(open(), OWNER, STAYS, { image }, { onProgress });
      const placed = seen.find((progress) => progress.kind === 'placed' && progress.otherMachine !== undefined);
      const engine = { arm64: 'arm64', x64: 'amd64' }[process.arch as 'arm64' | 'x64'];
      assert.deepEqual(placed, { kind: 'placed', otherMachine: { image: 's390x', engine } });
    });

    it('are refused without the GPU that they need', async () => {
      const resources = { gpus: 1, gpuDevices: ['0'] };
      await assert.rejects(startWorker(open(), OWNER, STAYS, { resources, image: NODE_IMAGE }), (error) => {
        assert.ok(error instanceof StartError);
        assert.equal(error.problem, 'noGpu');
        return true;
      });
    });
  });
});
