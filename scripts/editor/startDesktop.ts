import path from 'node:path';
import process from 'node:process';
import { editorEnvironment } from './environment.ts';
import { startGroup, type ProcessGroup } from './processes.ts';
import { prepareProfile } from './profile.ts';
import { welcomeExtension } from './welcomeExtension.ts';

/**
 * Opens a desktop VS Code window with the extension of `repository` and its walkthrough, in an instance that is separate from open
 * windows.
 */
export async function startDesktop(
  code: string,
  repository: string,
  workspace: string,
  userDataDir: string,
): Promise<ProcessGroup> {
  await prepareProfile(userDataDir);
  // For root, the editor starts only without its sandbox.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return startGroup(
    code,
    [
      ...sandbox,
      '--wait',
      '--new-window',
      `--user-data-dir=${userDataDir}`,
      `--extensions-dir=${path.join(userDataDir, 'extensions')}`,
      `--extensionDevelopmentPath=${repository}`,
      `--extensionDevelopmentPath=${welcomeExtension}`,
      workspace,
    ],
    { env: editorEnvironment(), commandMarker: userDataDir },
  );
}
