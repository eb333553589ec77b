import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type Settings = Readonly<Record<string, unknown>>;

/** A quiet editor: nothing that is not ours on the screen, nothing sent or fetched in the background. */
const quiet: Settings = {
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'update.showReleaseNotes': false,
  'git.openRepositoryInParentFolders': 'never',
};

/** Makes `userDataDir` ready for a start: our quiet settings, below those it has, below those given now. */
export async function prepareProfile(userDataDir: string, settings: Settings = {}): Promise<void> {
  const user = path.join(userDataDir, 'User');
  const file = path.join(user, 'settings.json');
  await mkdir(user, { recursive: true });
  await writeFile(file, JSON.stringify({ ...quiet, ...(await existing(file)), ...settings }, null, 2));
  // The editor keeps what it read from the extensions' package.json here, and would show what was contributed yesterday.
  await rm(path.join(userDataDir, 'CachedProfilesData'), { recursive: true, force: true });
}

async function existing(file: string): Promise<Settings> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Settings;
  } catch {
    return {}; // None yet, or a person is in the middle of writing them: then ours are the better ones.
  }
}
