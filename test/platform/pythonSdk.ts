import { execFileSync } from 'node:child_process';
import process from 'node:process';

/** Interpreter of the tests with Python: the one in PYTHON, or the usual name. It runs with PYTHONPATH. */
export const python = process.env['PYTHON'] ?? (process.platform === 'win32' ? 'python' : 'python3');

/** Returns whether the interpreter exists. */
export const hasPython = (): boolean => runs('pass');

/** Returns whether the interpreter has the public worker SDK. */
export const hasPythonSdk = (): boolean => runs('import runpod');

function runs(program: string): boolean {
  try {
    execFileSync(python, ['-c', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
