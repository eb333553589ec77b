import { readFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import type { EngineConnection } from './engineApi.ts';
import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';

/** A directory with `ca.pem`, `cert.pem`, and `key.pem`. A missing file is not used. */
export interface TlsFiles {
  readonly directory: string;
  /** Whether the certificate of the engine must be valid. */
  readonly verify: boolean;
}

export interface EngineTarget {
  readonly connection: EngineConnection;
  readonly address: string;
  readonly remoteHost: string | undefined;
}

const TLS_PORT = 2376;
const PLAIN_PORT = 2375;

/** Parses an address in the format of `DOCKER_HOST`. Resolves with the reason if the address is invalid. */
export async function connectionTo(host: string, tls: TlsFiles | undefined): Promise<EngineTarget | string> {
  const [, scheme = '', rest = ''] = /^([a-z]+):\/\/(.*)$/s.exec(host) ?? [];
  switch (scheme) {
    case 'unix':
      if (!rest.startsWith('/')) return 'a socket needs an absolute path, such as unix:///var/run/docker.sock';
      return {
        connection: { name: host, tls: false, options: { socketPath: rest } },
        address: host,
        remoteHost: undefined,
      };
    case 'npipe':
      return {
        connection: { name: host, tls: false, options: { socketPath: rest.replaceAll('\\', '/') } },
        address: host,
        remoteHost: undefined,
      };
    case 'tcp':
    case 'http':
    case 'https':
      return tcpTarget(host, scheme === 'https' && !tls ? { directory: '', verify: true } : tls);
    case 'ssh':
      return sshTarget(host);
    default:
      return 'it must start with unix://, npipe://, tcp://, or ssh://';
  }
}

async function tcpTarget(given: string, tls: TlsFiles | undefined): Promise<EngineTarget | string> {
  const url = parsed(given);
  if (!url?.hostname) return 'a TCP address needs a host, such as tcp://192.0.2.1:2376';
  const host = bare(url.hostname);
  const port = Number(url.port) || (tls ? TLS_PORT : PLAIN_PORT);
  const address = `tcp://${url.hostname}:${port}`;
  const options = {
    host,
    port,
    ...(tls && (await certificates(tls))),
    ...(tls && !net.isIP(host) && { servername: host }),
  };
  return { connection: { name: address, tls: tls !== undefined, options }, address, remoteHost: remote(host) };
}

function sshTarget(given: string): EngineTarget | string {
  const url = parsed(given);
  if (!url?.hostname) return 'an SSH address needs a host, such as ssh://user@host';
  if (url.password) return 'an SSH address must not contain a password. Use a key or an agent';
  const host = bare(url.hostname);
  const user = decodeURIComponent(url.username);
  if (host.startsWith('-') || user.startsWith('-')) return 'a host or user must not start with a hyphen';
  const socket = url.pathname.length > 1 ? url.pathname : undefined;
  const address = `ssh://${user ? `${user}@` : ''}${url.host}${socket ?? ''}`;
  const connect = () => openSsh({ host, user: user || undefined, port: url.port || undefined, socket });
  return { connection: { name: address, tls: false, options: {}, connect }, address, remoteHost: remote(host) };
}

function parsed(address: string): URL | undefined {
  // Only URLs with a known scheme are normalized, such as the case of the host.
  return URL.parse(address.replace(/^[a-z]+:/, 'http:')) ?? undefined;
}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/s, '$1');

/** Returns the host unless it is this machine. */
function remote(host: string): string | undefined {
  if (host === 'localhost') return undefined;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback' ? undefined : host;
}

async function certificates({ directory, verify }: TlsFiles) {
  const read = async (name: string): Promise<string | undefined> =>
    directory === '' ? undefined : readFile(path.join(directory, name), 'utf8').catch(() => undefined);
  const [ca, cert, key] = await Promise.all(['ca.pem', 'cert.pem', 'key.pem'].map(read));
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }), rejectUnauthorized: verify };
}

interface SshTarget {
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
function openSsh(target: SshTarget): Duplex {
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
