import path from 'node:path';
import process from 'node:process';
import { execa } from 'execa';

/**
 * Runs the machine's npm client, with its own configuration, on the Node that runs us.
 * @throws with what npm said when it fails; `what` names the step in the error.
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

/** Inside an npm script the environment speaks of our own package; a nested npm must not take that for its own. */
function environment(): NodeJS.ProcessEnv {
  const ours = /^npm_(package_|lifecycle_|command$|config_local_prefix$)|^INIT_CWD$/;
  const entries = Object.entries(process.env).filter(([name]) => !ours.test(name));
  const ownNode = path.dirname(process.execPath);
  return { ...Object.fromEntries(entries), PATH: `${ownNode}${path.delimiter}${process.env['PATH'] ?? ''}` };
}
