import process from 'node:process';
import { onPath } from './onPath.ts';

/**
 * The `code` command of a desktop VS Code. Inside the terminal of a remote window, `code` is another program that
 * only talks to that window, so it does not count; nor does a machine without a display.
 */
export function desktopCommand(): string | undefined {
  const remoteTerminal = process.env['VSCODE_IPC_HOOK_CLI'] !== undefined;
  return remoteTerminal || !hasDisplay() ? undefined : onPath('code');
}

/** Whether a desktop program could open a window here. */
export function hasDisplay(): boolean {
  if (process.platform !== 'linux') {
    return true;
  }
  return [process.env['DISPLAY'], process.env['WAYLAND_DISPLAY']].some((one) => one !== undefined && one !== '');
}
