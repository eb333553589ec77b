import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/editor/freePort.ts';

export interface QueueServer {
  readonly port: number;
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);

/** A Redis of our own, as it is without configuration but for where it keeps its files and those flags. undefined where it is not installed. */
export async function startRedis(folder: string, flags: readonly string[]): Promise<QueueServer | undefined> {
  if (!(await succeeds('redis-server', ['--version']))) return undefined;
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...flags];
  return startServer('redis-server', args, port, 'SIGTERM');
}

/** A PostgreSQL of our own, as it is without configuration but for where it listens. undefined where it is not installed. */
export async function startPostgres(folder: string): Promise<QueueServer | undefined> {
  const programs = await postgresPrograms();
  if (programs === undefined) return undefined;
  const data = path.join(folder, 'postgres');
  await mkdir(data);
  // It refuses to run as root; its package brings a user for it.
  const asRoot = process.getuid?.() === 0;
  if (asRoot) {
    const { stdout } = await run('id', ['-u', 'postgres']);
    await chmod(folder, 0o755);
    await chown(data, Number(stdout), -1);
  }
  const command = (name: string, args: readonly string[]): [string, string[]] => {
    const file = path.join(programs, name);
    return asRoot ? ['runuser', ['-u', 'postgres', '--', file, ...args]] : [file, [...args]];
  };
  await run(...command('initdb', ['-D', data, '-U', 'postgres', '--auth', 'trust']));
  const port = await freePort();
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${data}`];
  const [file, args] = command('postgres', ['-D', data, '-p', String(port), ...settings]);
  return startServer(file, args, port, 'SIGINT');
}

async function postgresPrograms(): Promise<string | undefined> {
  if (await succeeds('postgres', ['--version'])) return '';
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const [newest] = versions.sort((left, right) => Number(right) - Number(left));
  return newest === undefined ? undefined : path.join('/usr/lib/postgresql', newest, 'bin');
}

function succeeds(file: string, args: readonly string[]): Promise<boolean> {
  return run(file, args).then(
    () => true,
    () => false,
  );
}

async function startServer(file: string, args: string[], port: number, end: NodeJS.Signals): Promise<QueueServer> {
  const child = spawn(file, args, { stdio: 'ignore' });
  const ended = once(child, 'close');
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`${file} ended with code ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    stop: async () => {
      child.kill(end);
      await ended;
    },
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
