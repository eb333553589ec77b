import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Where what is expensive to fetch is kept: per user, outside the clone, so that a fresh clone finds it again.
 * Deleting it is always safe.
 */
export function cacheFolder(): string {
  const name = 'cloud-compute-dev';
  const given = process.env['XDG_CACHE_HOME'];
  if (given !== undefined && path.isAbsolute(given)) {
    return path.join(given, name);
  }
  if (process.platform === 'darwin') {
    return path.join(homedir(), 'Library', 'Caches', name);
  }
  if (process.platform === 'win32') {
    return path.join(process.env['LOCALAPPDATA'] ?? path.join(homedir(), 'AppData', 'Local'), name);
  }
  return path.join(homedir(), '.cache', name);
}
