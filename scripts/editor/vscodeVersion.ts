import process from 'node:process';

/** The oldest VS Code that the extension supports, as `engines` in package.json says, and the newest that is pinned here. */
const VSCODE_VERSIONS = { oldest: '1.105.1', newest: '1.139.1' } as const;

/**
 * Returns the version of the server edition of VS Code: that of the variable `VSCODE_VERSION`, which is `oldest`, `newest`, or a version
 * such as `1.120.0`. Default: `newest`.
 *
 * @throws Error if the variable has another value
 */
export function requestedVersion(value = process.env['VSCODE_VERSION'] ?? ''): string {
  if (value === '' || value === 'newest') return VSCODE_VERSIONS.newest;
  if (value === 'oldest') return VSCODE_VERSIONS.oldest;
  if (/^1\.\d+\.\d+$/.test(value)) return value;
  throw new Error(
    `VSCODE_VERSION is ${value}. Set it to "oldest", "newest", or a version such as ${VSCODE_VERSIONS.oldest}.`,
  );
}

/** Returns the version of the desktop edition. It is the current release if `VSCODE_VERSION` is `newest` or not set. */
export function desktopVersion(value = process.env['VSCODE_VERSION'] ?? ''): string {
  return value === '' || value === 'newest' ? 'stable' : requestedVersion(value);
}
