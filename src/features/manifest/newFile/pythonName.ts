import process from 'node:process';

/** Returns the usual name of the Python interpreter on this machine. */
export function pythonName(): string {
  return process.platform === 'win32' ? 'python' : 'python3';
}
