import path from 'node:path';

/**
 * Where Node keeps the compiled form of the platform's own code: the place for caches of the person who runs it. Never a directory that
 * others can write to, as the system's temporary one: what is found there is run.
 *
 * @returns undefined when the environment does not say where that is
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
