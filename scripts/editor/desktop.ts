import process from 'node:process';
import { onPath } from './onPath.ts';

/**
 * Returns the path of the `code` command of desktop VS Code. Returns undefined without a display, and in the terminal of a remote window,
 * where `code` is another program that controls only that window.
 */
export function desktopCommand(): string | undefined {
  const remoteTerminal = process.env['VSCODE_IPC_HOOK_CLI'] !== undefined;
  return remoteTerminal || !hasDisplay() ? undefined : onPath('code');
}

/** Returns whether a desktop program can open a window. */
export function hasDisplay(): boolean {
  if (process.platform !== 'linux') {
    return true;
  }
  return [process.env['DISPLAY'], process.env['WAYLAND_DISPLAY']].some((one) => one !== undefined && one !== '');
}
