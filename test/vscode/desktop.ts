import path from 'node:path';
import process from 'node:process';
import { downloadAndUnzipVSCode, SilentReporter } from '@vscode/test-electron';
import { cacheFolder } from '../../scripts/editor/cacheFolder.ts';
import { hasDisplay } from '../../scripts/editor/desktop.ts';
import { isExecutable } from '../../scripts/editor/onPath.ts';

/** The executable of a desktop VS Code to test in, or why there is none. */
export async function desktopExecutable(): Promise<{ executable: string } | { none: string }> {
  const given = process.env['VSCODE_EXECUTABLE'];
  if (given !== undefined && given !== '') {
    if (!isExecutable(given)) {
      throw new Error(`VSCODE_EXECUTABLE is ${given}, which is not an executable file. Correct or unset it.`);
    }
    return { executable: given };
  }
  if (!hasDisplay()) {
    return { none: 'there is no display (xvfb-run gives one)' };
  }
  try {
    const cachePath = path.join(cacheFolder(), 'desktop');
    // The timeout is for silence on the line, not for the whole download.
    return {
      executable: await downloadAndUnzipVSCode({
        version: 'stable',
        cachePath,
        reporter: new SilentReporter(),
        timeout: 5000,
      }),
    };
  } catch (error) {
    return { none: `it cannot be downloaded (${error instanceof Error ? error.message : String(error)})` };
  }
}
