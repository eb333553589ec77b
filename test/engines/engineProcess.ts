import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { livingProcesses } from '../../scripts/editor/processTable.ts';
import { startGroup, type ProcessGroup } from '../../scripts/editor/processes.ts';
import { registerCleanup } from '../../scripts/editor/shutdown.ts';
import { EngineApi } from '../../src/machine/engine/engineApi.ts';
import { eventually } from '../platform/support.ts';
import { chooseBridge, deleteBridge, type Bridge } from './bridge.ts';

/** Folder, bridge, and cgroup of a test engine. */
export interface EngineSite {
  readonly directory: string;
  readonly bridge: Bridge;
  readonly socket: string;
}

/** The command that runs an engine in the foreground. */
export interface EngineCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
  /** Files with PIDs. A killed engine leaves them behind, and its process counts as running until the system has reaped it. */
  readonly pidFiles?: readonly string[];
  /** File with the engine's networks. Without it, the engine starts again even if it was killed while it changed them. */
  readonly networksFile?: string;
}

/** Short, because paths of sockets below it may have 107 characters. */
const PREFIX = '/tmp/cce-';

/** @param second second number of the addresses on the bridge */
export function createSite(second: number): EngineSite {
  const directory = mkdtempSync(PREFIX);
  return { directory, bridge: chooseBridge(second), socket: path.join(directory, 'engine.sock') };
}

/** A test engine that this process started. It and its traces disappear with this process. */
export class EngineProcess {
  readonly site: EngineSite;
  readonly api: EngineApi;
  readonly #command: EngineCommand;
  readonly #unregister: () => void;
  #group: ProcessGroup | undefined;

  constructor(site: EngineSite, command: EngineCommand) {
    this.site = site;
    this.#command = command;
    this.api = new EngineApi({ name: site.socket, tls: false, options: { socketPath: site.socket } });
    this.#unregister = registerCleanup({ stop: () => this.down(), kill: () => removeTraces(site) });
  }

  /** Starts the engine, also after `kill`. Resolves once it answers. */
  async start(): Promise<void> {
    const { program, networksFile } = this.#command;
    if (await this.#run()) return;
    if (networksFile !== undefined && existsSync(networksFile)) {
      rmSync(networksFile);
      if (await this.#run()) return;
    }
    throw new Error(`${program} ended:\n${this.#group?.lastLines()}`);
  }

  /** Runs the program. Resolves with true once it answers, or with false once it has ended. */
  async #run(): Promise<boolean> {
    const { program, args, environment = {}, pidFiles = [] } = this.#command;
    for (const file of pidFiles) rmSync(file, { force: true });
    const group = startGroup(program, args, {
      cwd: this.site.directory,
      env: { ...process.env, ...environment },
      commandMarker: this.site.directory,
    });
    this.#group = group;
    let ended = false;
    void group.exited.then(() => (ended = true));
    const answers = () =>
      this.api.json({ path: '/version' }).then(
        () => true,
        () => false,
      );
    const outcome = await eventually(`${program} answers or ends`, async () =>
      (await answers()) ? 'answers' : ended && 'ended',
    );
    return outcome === 'answers';
  }

  /** Kills the engine, but not the containers. */
  async kill(): Promise<void> {
    const group = this.#group;
    if (!group) return;
    process.kill(group.pid, 'SIGKILL');
    await group.exited;
  }

  /** Ends the engine and its containers, and removes all traces. */
  async down(): Promise<void> {
    this.#unregister();
    await this.#removeContainers().catch(() => undefined);
    await this.#group?.stop();
    removeTraces(this.site);
  }

  async #removeContainers(): Promise<void> {
    const containers = await this.api.json<{ Id: string }[]>({ path: '/v1.41/containers/json', query: { all: true } });
    const remove = ({ Id: id }: { Id: string }) =>
      this.api.json({ method: 'DELETE', path: `/v1.41/containers/${id}`, query: { force: true, v: true } });
    await Promise.allSettled(containers.map(remove));
  }
}

/** Ends what is left of an engine, and deletes its files. Works without the engine. */
function removeTraces({ directory, bridge }: EngineSite): void {
  const ours = livingProcesses().filter(({ command }) => command.includes(directory));
  for (const { pid } of ours) killQuietly(pid);
  endCgroup(bridge.name);
  for (const mount of mountsBelow(directory)) quietly(() => execFileSync('umount', ['-l', mount], { stdio: 'ignore' }));
  deleteBridge(bridge);
  quietly(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
}

function mountsBelow(directory: string): string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  const points = mounts.flatMap((line) => line.split(' ')[4] ?? []);
  return points.filter((point) => point.startsWith(`${directory}/`)).reverse();
}

const CGROUPS = '/sys/fs/cgroup';

/** Kills the processes of a cgroup in all hierarchies, and deletes the cgroup. */
function endCgroup(name: string): void {
  const hierarchies = [CGROUPS, ...readdirSync(CGROUPS).map((one) => path.join(CGROUPS, one))];
  for (const group of hierarchies.map((one) => path.join(one, name)).filter((one) => existsSync(one))) {
    const groups = [group, ...subgroups(group)].reverse();
    for (const one of groups) {
      quietly(() => {
        const pids = readFileSync(path.join(one, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean);
        for (const pid of pids) killQuietly(Number(pid));
      });
      quietly(() => rmdirSync(one));
    }
  }
}

function subgroups(group: string): string[] {
  const names = readdirSync(group, { withFileTypes: true }).filter((one) => one.isDirectory());
  return names.flatMap(({ name }) => [path.join(group, name), ...subgroups(path.join(group, name))]);
}

function killQuietly(pid: number): void {
  quietly(() => process.kill(pid, 'SIGKILL'));
}

function quietly(action: () => unknown): void {
  try {
    action();
  } catch {
    // It has already disappeared.
  }
}
