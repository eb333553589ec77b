import path from 'node:path';
import process from 'node:process';
import { editorEnvironment } from './environment.ts';
import { startGroup, type ProcessGroup } from './processes.ts';
import { prepareProfile } from './profile.ts';

/** Opens a window of desktop VS Code with the extension of `repository`, apart from the windows that are open already. */
export async function startDesktop(
  code: string,
  repository: string,
  workspace: string,
  userDataDir: string,
): Promise<ProcessGroup> {
  await prepareProfile(userDataDir);
  // As root the editor starts only without its sandbox.
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
      workspace,
    ],
    { env: editorEnvironment(), knownBy: userDataDir },
  );
}
