import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { networkInterfaces } from 'node:os';

/** A network bridge of a test engine, with an unused /24 network. */
export interface Bridge {
  readonly name: string;
  /** First three numbers of its addresses, such as `10.87.5`. */
  readonly network: string;
  /** Address of this machine on the bridge. */
  readonly gateway: string;
}

/**
 * Chooses a name and a network. Does not create the bridge. `second` is the second number of the addresses. Each engine has another one,
 * because an engine that creates its bridge later can run beside other engines.
 */
export function chooseBridge(second: number): Bridge {
  const used = new Set(
    Object.values(networkInterfaces())
      .flat()
      .flatMap((one) => (one?.family === 'IPv4' ? [one.address.split('.').slice(0, 3).join('.')] : [])),
  );
  for (;;) {
    const [third = 0] = randomBytes(1);
    const network = `10.${second}.${third}`;
    if (used.has(network)) continue;
    return { name: `cc${randomBytes(4).toString('hex')}`, network, gateway: `${network}.1` };
  }
}

export function createBridge({ name, gateway }: Bridge): void {
  run('ip', ['link', 'add', name, 'type', 'bridge']);
  run('ip', ['address', 'add', `${gateway}/24`, 'dev', name]);
  run('ip', ['link', 'set', name, 'up']);
}

/** Deletes the bridge and the firewall rules that name it. Does nothing if they do not exist. */
export function deleteBridge({ name, network }: Bridge): void {
  quietly('ip', ['link', 'delete', name]);
  for (const table of ['filter', 'nat']) {
    const rules = quietly('iptables', ['-w', '-t', table, '-S']).split('\n');
    const ours = rules.filter(
      (rule) => rule.startsWith('-A ') && (rule.includes(name) || rule.includes(`${network}.`)),
    );
    for (const rule of ours) quietly('iptables', ['-w', '-t', table, '-D', ...argumentsOf(rule.slice('-A '.length))]);
  }
}

/** Splits a rule into arguments. Comments are in quotation marks. */
function argumentsOf(rule: string): string[] {
  return [...rule.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

function run(program: string, args: readonly string[]): string {
  return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function quietly(program: string, args: readonly string[]): string {
  try {
    return run(program, args);
  } catch {
    return '';
  }
}
