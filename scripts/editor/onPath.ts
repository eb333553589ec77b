import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';

/** Returns the absolute path of a command on PATH, or undefined. Does not run the command. */
export function onPath(command: string): string | undefined {
  const windows = process.platform === 'win32';
  const endings = windows ? (process.env['PATHEXT'] ?? '.EXE;.CMD').split(';') : [''];
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const ending of endings) {
      const candidate = path.join(folder, command + ending);
      if (folder !== '' && isExecutable(candidate)) {
        return candidate;
      }
    }
  }
  return undefined;
}

export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
