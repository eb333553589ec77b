import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';

export interface SshTarget {
  readonly host: string;
  readonly user: string | undefined;
  readonly port: string | undefined;
  /** Path of the engine's socket on the other machine; undefined for the one that its Docker command line uses. */
  readonly socket: string | undefined;
}

/** Maximum length of the reason that a program printed, in characters. */
const MAX_REASON_LENGTH = 500;

/**
 * Connects to the engine of another machine like Docker's command line: through `docker system dial-stdio`, which it starts over SSH. The
 * user's SSH configuration, keys, and agent apply. SSH never asks for a password.
 */
export function openSsh(target: SshTarget): Duplex {
  return openProgram('ssh', sshArguments(target));
}

export function sshArguments({ host, user, port, socket }: SshTarget): string[] {
  return [
    ...['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=30', '-T'],
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', port]),
    ...['--', host, 'docker'],
    ...(socket === undefined ? [] : ['--host', quoted(`unix://${socket}`)]),
    ...['system', 'dial-stdio'],
  ];
}

/** Quotes an argument, because SSH passes the command to a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Starts a program, and returns a stream of its standard input and output. The program ends with the stream. */
export function openProgram(file: string, args: readonly string[]): Duplex {
  const child = spawn(file, args, { stdio: 'pipe', windowsHide: true });
  let said = '';
  const stream = new Duplex({
    read: () => void child.stdout.resume(),
    write: (chunk, _encoding, callback) => void child.stdin.write(chunk, callback),
    final: (callback) => void child.stdin.end(callback),
    destroy: (error, callback) => {
      child.kill();
      callback(error);
    },
  });
  const fail = (error: Error): void => void stream.destroy(error);
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    if (!stream.push(chunk)) child.stdout.pause();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-MAX_REASON_LENGTH)));
  child.once('error', (cause) => fail(new Error(`${file} cannot be started: ${cause.message}`, { cause })));
  child.once('close', (code) => {
    if (code === 0 || stream.destroyed) stream.push(null);
    else fail(new Error(`${file} ended with code ${code ?? 'unknown'}: ${said.trim() || 'no reason'}`));
  });
  return stream;
}
