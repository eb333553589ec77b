import net from 'node:net';
import path from 'node:path';
import { stat } from 'node:fs/promises';
import { variable, type MachineContext } from './machineContext.ts';

/**
 * Resolves with the address of the first usual socket that accepts connections. If none does, resolves with the first one that exists, so
 * that the reason can be reported. Resolves with undefined if none exists.
 */
export async function defaultSocket(machine: MachineContext): Promise<string | undefined> {
  const candidates = usualSockets(machine);
  const existing: string[] = [];
  for (const socket of candidates) {
    if (machine.platform !== 'win32' && !(await isSocket(socket))) continue;
    if (await accepts(socket)) return addressOf(socket, machine);
    if (machine.platform !== 'win32') existing.push(socket);
  }
  return existing[0] === undefined ? undefined : addressOf(existing[0], machine);
}

/** Returns the sockets of Docker, of its desktop distributions, and of Podman, first choice first. */
export function usualSockets(machine: MachineContext): string[] {
  const { home, platform } = machine;
  if (platform === 'win32') return ['//./pipe/docker_engine', '//./pipe/podman-machine-default'];
  const run = variable(machine, 'XDG_RUNTIME_DIR');
  const inHome = (...parts: string[]): string => path.posix.join(home, ...parts);
  return [
    '/var/run/docker.sock',
    ...(run !== undefined ? [`${run}/docker.sock`] : []),
    inHome('.docker', 'run', 'docker.sock'),
    inHome('.orbstack', 'run', 'docker.sock'),
    inHome('.colima', 'default', 'docker.sock'),
    inHome('.rd', 'docker.sock'),
    '/run/podman/podman.sock',
    ...(run !== undefined ? [`${run}/podman/podman.sock`] : []),
    inHome('.local', 'share', 'containers', 'podman', 'machine', 'podman.sock'),
  ];
}

function addressOf(socket: string, { platform }: MachineContext): string {
  return `${platform === 'win32' ? 'npipe' : 'unix'}://${socket}`;
}

async function isSocket(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isSocket(),
    () => false,
  );
}

async function accepts(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath);
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
