import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

/** A running process. `command` is its command line. `environment` is empty if it is unknown. */
export interface ProcessInfo {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly command: string;
  readonly environment: string;
}

/** Returns the running processes that this user can inspect, without zombies. On Windows, returns none. */
export function livingProcesses(): ProcessInfo[] {
  if (process.platform === 'win32') {
    return []; // Windows can end a process with its descendants instead.
  }
  return process.platform === 'linux' ? fromProc() : fromPs();
}

function fromProc(): ProcessInfo[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        // The format is "pid (name) state parent group …". The name can contain spaces and parentheses, so parse from its end.
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (state === 'Z' || state === 'X' || group === undefined) {
          return [];
        }
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [
          {
            pid: Number(name),
            parent: Number(parent),
            group: Number(group),
            command,
            environment: readOrEmpty(`/proc/${name}/environ`),
          },
        ];
      } catch {
        return []; // The process exited in the meantime.
      }
    });
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // The process belongs to another user.
  }
}

function fromPs(): ProcessInfo[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=,command='], {
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });
  return table.split('\n').flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line);
    if (match === null || match[4]?.startsWith('Z') === true) {
      return [];
    }
    const [pid = 0, parent = 0, group = 0] = match.slice(1, 4).map(Number);
    return [{ pid, parent, group, command: match[5] ?? '', environment: '' }];
  });
}
