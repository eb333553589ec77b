import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';

export type Settings = Readonly<Record<string, unknown>>;

/** Settings that hide unrelated UI and disable background requests. */
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

/** Settings with which an idle editor leaves the processor to the tests: no animations, and no extension that no test needs. */
export const restful: Settings = {
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  'terminal.integrated.gpuAcceleration': 'off',
  'git.enabled': false,
};

/** Writes the settings of a profile. Existing settings override the default ones, and `settings` override both. */
export async function prepareProfile(userDataDir: string, settings: Settings = {}): Promise<void> {
  const user = path.join(userDataDir, 'User');
  const file = path.join(user, 'settings.json');
  await mkdir(user, { recursive: true });
  await writeFile(file, JSON.stringify({ ...quiet, ...(await existing(file)), ...settings }, null, 2));
  // The editor caches the package.json of extensions here, and would show outdated contributions.
  await rm(path.join(userDataDir, 'CachedProfilesData'), { recursive: true, force: true });
}

async function existing(file: string): Promise<Settings> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Settings;
  } catch {
    return {}; // The file does not exist or is not valid JSON.
  }
}
