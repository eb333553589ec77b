import { spawn } from 'node:child_process';
import process from 'node:process';

/* API keys in the keyring of the operating system. Its own programs read and write it, and keys pass through pipes, never arguments. */

const SERVICE = 'cloud-compute';

/** `missing`: the program of the keyring is not installed. `failed`: the keyring is locked, or refused the request. */
export class KeyringError extends Error {
  readonly code: 'missing' | 'failed';

  constructor(code: KeyringError['code'], message: string) {
    super(message);
    this.name = 'KeyringError';
    this.code = code;
  }
}

export interface Keyring {
  /** Program that must be installed. */
  readonly program: string;
  /** Returns undefined if there is no key. @throws KeyringError */
  get(account: string): Promise<string | undefined>;
  /** @throws KeyringError */
  set(account: string, key: string): Promise<void>;
  /** Does nothing if there is no key. @throws KeyringError */
  delete(account: string): Promise<void>;
}

/** The Secret Service of a Linux desktop. */
const secretService: Keyring = {
  program: 'secret-tool',
  get: async (account) => textOf(await run('secret-tool', ['lookup', ...attributes(account)], '', [0, 1])),
  set: async (account, key) => {
    await run('secret-tool', ['store', `--label=Cloud Compute (${account})`, ...attributes(account)], key, [0]);
  },
  delete: async (account) => {
    await run('secret-tool', ['clear', ...attributes(account)], '', [0, 1]);
  },
};

function attributes(account: string): string[] {
  return ['service', SERVICE, 'account', account];
}

/** Exit code of `security` for an item that does not exist: errSecItemNotFound. */
const NO_ITEM = 44;

/** The keychain of macOS. `security -i` reads commands from standard input, so that no other program sees the key. */
const keychain: Keyring = {
  program: 'security',
  get: async (account) =>
    textOf(await run('security', ['find-generic-password', '-s', SERVICE, '-a', account, '-w'], '', [0, NO_ITEM])),
  set: async (account, key) => {
    const words = ['add-generic-password', '-U', '-s', SERVICE, '-a', account, '-w', key].map(quoted);
    await run('security', ['-i'], `${words.join(' ')}\n`, [0]);
  },
  delete: async (account) => {
    await run('security', ['delete-generic-password', '-s', SERVICE, '-a', account], '', [0, NO_ITEM]);
  },
};

function quoted(word: string): string {
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

/** The Credential Locker of Windows. The script reads the action, the account, and the key as lines of standard input. */
const LOCKER = `
$ErrorActionPreference = 'Stop'
$null = [Windows.Security.Credentials.PasswordVault, Windows.Security.Credentials, ContentType = WindowsRuntime]
$vault = New-Object Windows.Security.Credentials.PasswordVault
$action = [Console]::In.ReadLine(); $account = [Console]::In.ReadLine(); $key = [Console]::In.ReadLine()
try { $found = $vault.Retrieve('${SERVICE}', $account) } catch { $found = $null }
if ($action -eq 'set') { $vault.Add((New-Object Windows.Security.Credentials.PasswordCredential('${SERVICE}', $account, $key))) }
elseif ($found -and $action -eq 'delete') { $vault.Remove($found) }
elseif ($found) { $found.RetrievePassword(); [Console]::Out.Write($found.Password) }`;

const locker = (action: string, account: string, key = ''): Promise<Output> =>
  run('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', LOCKER], `${action}\n${account}\n${key}\n`, [0]);

const credentialLocker: Keyring = {
  program: 'powershell.exe',
  get: async (account) => textOf(await locker('get', account)),
  set: async (account, key) => void (await locker('set', account, key)),
  delete: async (account) => void (await locker('delete', account)),
};

/** The keyring of this operating system. */
export function systemKeyring(platform: NodeJS.Platform = process.platform): Keyring {
  if (platform === 'darwin') return keychain;
  return platform === 'win32' ? credentialLocker : secretService;
}

interface Output {
  readonly code: number | null;
  readonly stdout: string;
}

/** Returns the key in an output. Undefined: there is none. */
function textOf({ code, stdout }: Output): string | undefined {
  const text = stdout.replace(/\r?\n$/, '');
  return code === 0 && text !== '' ? text : undefined;
}

/** @throws KeyringError unless the exit code is expected */
function run(program: string, args: readonly string[], input: string, expected: readonly number[]): Promise<Output> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'], windowsHide: true });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('error', (error) => reject(new KeyringError('missing', error.message)));
    child.once('close', (code) => {
      const reason = stderr.trim().split('\n')[0] ?? '';
      // `secret-tool` also ends with 1 if the keyring cannot be reached, and then says why.
      const isExpected = code !== null && expected.includes(code) && !(code === 1 && reason !== '');
      if (isExpected) resolve({ code, stdout });
      else reject(new KeyringError('failed', reason === '' ? `${program} exited with code ${code ?? 'none'}` : reason));
    });
  });
}
