import path from 'node:path';

/**
 * Returns the directory of Node's compile cache for the platform's own code, in the user's cache directory. Node runs the code in
 * that directory, so other users must not have write access. The system's temporary directory is therefore not safe.
 *
 * @returns undefined if the environment does not name the user's cache directory
 */
export function compileCacheDirectory(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  const base = cachesOf(platform, env);
  return base !== undefined && path.isAbsolute(base) ? path.join(base, 'cloud-compute', 'compiled') : undefined;
}

function cachesOf(platform: NodeJS.Platform, env: NodeJS.ProcessEnv): string | undefined {
  if (platform === 'win32') return env['LOCALAPPDATA'];
  const home = env['HOME'];
  if (platform === 'darwin') return home && path.join(home, 'Library', 'Caches');
  return env['XDG_CACHE_HOME'] ?? (home && path.join(home, '.cache'));
}
