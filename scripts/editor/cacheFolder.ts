import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';

/**
 * Returns the user's cache folder for large downloads. It is outside the repository, so that all clones share it. Deleting it is always
 * safe.
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
