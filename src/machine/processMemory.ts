import { execFile } from 'node:child_process';
import process from 'node:process';
import { promisify } from 'node:util';

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
