import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { freePort } from '../../scripts/editor/freePort.ts';
import { startChild, type ChildOptions } from './children.ts';

export interface StartedServer {
  readonly port: number;
  readonly pid: number;
  readonly stop: () => Promise<void>;
}

const run = promisify(execFile);

/** Starts Redis with its default configuration, a temporary folder, and the given flags. Undefined if Redis is not installed. */
export async function startRedis(folder: string, flags: readonly string[]): Promise<StartedServer | undefined> {
  if (!(await succeeds('redis-server', ['--version']))) return undefined;
  const port = await freePort();
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, ...flags];
  return startServer('redis-server', args, port, 'SIGTERM');
}

/** Starts PostgreSQL with its default configuration on a free port. Undefined if PostgreSQL is not installed. */
export async function startPostgres(folder: string): Promise<StartedServer | undefined> {
  const programs = await postgresPrograms();
  const user = await postgresUser();
  if (programs === undefined || user === undefined) return undefined;
  const data = path.join(folder, 'postgres');
  await mkdir(data);
  if (user.uid !== undefined) {
    await chmod(folder, 0o755);
    await chown(data, user.uid, -1);
  }
  const options = { ...user, cwd: data };
  await run(path.join(programs, 'initdb'), ['-D', data, '-U', 'postgres', '--auth', 'trust'], options);
  const port = await freePort();
  const settings = ['-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${data}`];
  const args = ['-D', data, '-p', String(port), ...settings];
  return startServer(path.join(programs, 'postgres'), args, port, 'SIGINT', options);
}

/**
 * Returns the user id and group id for PostgreSQL, which refuses to run as root. Its package creates a user. Undefined without that user.
 *
 * The server is started directly as that user, because `runuser` would not forward the signal that stops the server.
 */
async function postgresUser(): Promise<{ readonly uid?: number; readonly gid?: number } | undefined> {
  if (process.getuid?.() !== 0) return {};
  const ids = ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout));
  return Promise.all(ids).then(
    ([uid = NaN, gid = NaN]) => ({ uid, gid }),
    () => undefined,
  );
}

async function postgresPrograms(): Promise<string | undefined> {
  if (await succeeds('postgres', ['--version'])) return '';
  const versions = await readdir('/usr/lib/postgresql').catch(() => []);
  const [newest] = versions.sort((left, right) => Number(right) - Number(left));
  return newest === undefined ? undefined : path.join('/usr/lib/postgresql', newest, 'bin');
}

/** Whether a program is installed and ends without an error. */
export function succeeds(file: string, args: readonly string[]): Promise<boolean> {
  return run(file, args).then(
    () => true,
    () => false,
  );
}

/** Starts a server, and resolves once it accepts connections. @param end signal that stops it */
export async function startServer(
  file: string,
  args: readonly string[],
  port: number,
  end: NodeJS.Signals,
  options: ChildOptions = {},
): Promise<StartedServer> {
  const server = startChild(file, args, { ...options, end: (child) => void child.kill(end) });
  server.process.stdout.resume();
  while (!(await accepts(port))) {
    if (server.process.exitCode !== null || server.process.signalCode !== null)
      throw new Error(`${file} exited before it accepted connections`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { port, pid: server.process.pid ?? 0, stop: server.stop };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
