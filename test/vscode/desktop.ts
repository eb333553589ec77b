import path from 'node:path';
import process from 'node:process';
import { downloadAndUnzipVSCode, SilentReporter } from '@vscode/test-electron';
import { cacheFolder } from '../../scripts/editor/cacheFolder.ts';
import { hasDisplay } from '../../scripts/editor/desktop.ts';
import { isExecutable } from '../../scripts/editor/onPath.ts';
import { desktopVersion } from '../../scripts/editor/vscodeVersion.ts';

/** Returns the executable of a desktop VS Code for the tests, or the reason why there is none. */
export async function desktopExecutable(): Promise<{ executable: string } | { none: string }> {
  const given = process.env['VSCODE_EXECUTABLE'];
  if (given !== undefined && given !== '') {
    if (!isExecutable(given)) {
      throw new Error(`VSCODE_EXECUTABLE is ${given}, which is not an executable file. Correct or unset it.`);
    }
    return { executable: given };
  }
  if (!hasDisplay()) {
    return { none: 'there is no display (use xvfb-run)' };
  }
  try {
    const cachePath = path.join(cacheFolder(), 'desktop');
    // The timeout applies to inactivity, not to the entire download.
    return {
      executable: await downloadAndUnzipVSCode({
        version: desktopVersion(),
        cachePath,
        reporter: new SilentReporter(),
        timeout: 5000,
      }),
    };
  } catch (error) {
    return { none: `the download failed (${error instanceof Error ? error.message : String(error)})` };
  }
}
