import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import process from 'node:process';
import { promisify } from 'node:util';

/* Processes with their parents, and the inspector of Node.js in another process. */

export interface TreeProcess {
  readonly pid: number;
  readonly parent: number;
  /** Path or name of the program. */
  readonly program: string;
  readonly args: readonly string[];
}

/**
 * Resolves with processes among which are a process and its descendants. On Windows, only the process itself is known.
 *
 * @param command program and arguments with which the process was started
 */
export async function descendantsOf(
  pid: number,
  { file, args }: { readonly file: string; readonly args: readonly string[] },
): Promise<readonly TreeProcess[]> {
  if (process.platform === 'win32') return [{ pid, parent: 0, program: file, args }];
  return process.platform === 'linux' ? linuxProcesses() : listedProcesses();
}

async function linuxProcesses(): Promise<readonly TreeProcess[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(linuxProcess));
  return found.filter((one) => one !== undefined);
}

/** Undefined for a process that has ended, and for one of another user. */
async function linuxProcess(name: string): Promise<TreeProcess | undefined> {
  try {
    const [stat, program, line] = await Promise.all([
      readFile(`/proc/${name}/stat`, 'utf8'),
      readlink(`/proc/${name}/exe`),
      readFile(`/proc/${name}/cmdline`, 'utf8'),
    ]);
    // The command name is in parentheses and can contain any character.
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(name), parent: Number(parent), program, args: argumentsIn(line.split('\0')) };
  } catch {
    return undefined;
  }
}

const argumentsIn = (words: readonly string[]): string[] => words.filter((word) => word !== '');

async function listedProcesses(): Promise<readonly TreeProcess[]> {
  const [programs, commands] = await Promise.all([listed('comm'), listed('command')]);
  return [...programs].map(([pid, { parent, text }]) => {
    const command = commands.get(pid)?.text ?? '';
    return { pid, parent, program: text, args: argumentsIn(command.split(' ')) };
  });
}

async function listed(column: string): Promise<Map<number, { readonly parent: number; readonly text: string }>> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', `pid=,ppid=,${column}=`], {
    maxBuffer: 32 * 1024 ** 2,
  });
  const rows = [...stdout.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)];
  return new Map(
    rows.map(([, pid, parent, text = '']) => [Number(pid), { parent: Number(parent), text: text.trim() }]),
  );
}

/**
 * Asks a Node.js process to open its inspector, as `node inspect -p` does. Has no effect on a process whose inspector is open.
 *
 * @returns false if the process has ended, or does not handle the request, which would end it
 */
export async function openInspector(pid: number): Promise<boolean> {
  if (process.platform === 'linux' && !(await catchesSigusr1(pid))) return false;
  try {
    // Node.js has no documented function for Windows, where there are no signals.
    const { _debugProcess: debugProcess } = process as unknown as { _debugProcess: (pid: number) => void };
    if (process.platform === 'win32') debugProcess(pid);
    else process.kill(pid, 'SIGUSR1');
    return true;
  } catch {
    return false;
  }
}

const SIGUSR1_BIT = 1n << 9n;

async function catchesSigusr1(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return caught !== undefined && (BigInt(`0x${caught}`) & SIGUSR1_BIT) !== 0n;
}

/**
 * Returns the resident memory of the descendants of a process, in bytes. Pages that they share count several times. Undefined if there are
 * none, and on Windows.
 */
export async function descendantMemory(pid: number): Promise<number | undefined> {
  if (process.platform === 'win32') return undefined;
  const listed = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,rss='], { maxBuffer: 32 * 1024 ** 2 }).catch(
    () => undefined,
  );
  const rows = [...(listed?.stdout ?? '').matchAll(/^ *(\d+) +(\d+) +(\d+)/gm)].map(([, one, parent, kilobytes]) => ({
    pid: Number(one),
    parent: Number(parent),
    bytes: Number(kilobytes) * 1_024,
  }));
  const children = Map.groupBy(rows, ({ parent }) => parent);
  let bytes = 0;
  const open = [...(children.get(pid) ?? [])];
  for (let next = open.pop(); next; next = open.pop()) {
    bytes += next.bytes;
    open.push(...(children.get(next.pid) ?? []));
  }
  return bytes === 0 ? undefined : bytes;
}
