import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';

/**
 * Runs the installed npm client with the Node of this process.
 *
 * @param what name of the step in the error message
 * @throws Error with the output of npm if npm fails
 */
export async function npm(
  what: string,
  args: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const result = await execa('npm', [...args, '--no-audit', '--no-fund'], {
    cwd,
    env: { ...environment(), ...env },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  if (result.failed) {
    throw new Error(`${what} failed: npm ${args.join(' ')} in ${cwd}\n${result.all}`);
  }
}

/** Returns the environment without the variables that npm sets for scripts. A nested npm would apply them to another package. */
function environment(): NodeJS.ProcessEnv {
  const ours = /^npm_(package_|lifecycle_|command$|config_local_prefix$)|^INIT_CWD$/;
  const entries = Object.entries(process.env).filter(([name]) => !ours.test(name));
  const ownNode = path.dirname(process.execPath);
  return { ...Object.fromEntries(entries), PATH: `${ownNode}${path.delimiter}${process.env['PATH'] ?? ''}` };
}
