import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import {
  DEFAULT_TERMINAL_SIZE,
  MAX_TERMINAL_INPUT_BYTES,
  TERMINAL_QUERY,
  TerminalSize,
  workerOfTerminal,
  type TerminalEnd,
} from '../../contract/control/terminal.ts';
import { operations } from '../../contract/operations.ts';
import { parseJson } from '../../contract/parsedJson.ts';
import { permissionFor } from '../../contract/permissions.ts';
import { apiKeyId } from '../accounts/apiKey.ts';
import { refuseUpgrade } from '../balancer/answer.ts';
import { destroyAtEnd } from '../balancer/upgrade.ts';
import type { Caller } from '../domain/account.ts';
import { notFound, Refusal } from '../domain/refusal.ts';
import { endpointsOf } from '../endpoints/accountEndpoints.ts';
import { keepAlive, WebSocketServer } from '../http/webSocket.ts';
import { checkAccess, checkHost } from '../routes/access.ts';
import { errorBody, INTERNAL_ERROR } from '../routes/errors.ts';
import { openShell, ShellError, type Shell } from '../workers/workerShell.ts';
import type { Worker } from '../workers/worker.ts';
import type { ControlledServices, ControlServices } from './controlServices.ts';

/*
 * Terminals in workers. They accept each key that may change the endpoint, because such a key can run any program in a worker anyway. A web
 * page cannot open one, because it cannot send a key with a WebSocket.
 */

export interface TerminalOptions extends Pick<ControlServices, 'instance' | 'realClock'> {
  readonly log: Logger;
  readonly port: () => number;
  readonly publicUrl: URL | undefined;
}

export type UpgradeListener = (incoming: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** Close code of a normal end. */
const NORMAL = 1_000;

/** Returns the listener for requests to the path of a terminal. */
export function terminalListener(options: TerminalOptions): UpgradeListener {
  const server = new WebSocketServer({
    ...{ noServer: true, clientTracking: false, perMessageDeflate: false, maxPayload: MAX_TERMINAL_INPUT_BYTES },
  });
  const serve = async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const admitted = await admit(incoming, options);
    if (socket.destroyed) return;
    socket.off('end', destroyAtEnd);
    server.handleUpgrade(
      incoming,
      socket,
      head,
      (webSocket) => void run(webSocket, { ...options, ...admitted, incoming }),
    );
  };
  return (incoming, socket, head) => {
    serve(incoming, socket, head).catch((error: unknown) => {
      const {
        status,
        message,
        headers = {},
      } = error instanceof Refusal ? error : { status: 500, message: INTERNAL_ERROR };
      if (!(error instanceof Refusal)) options.log.error({ err: error }, 'a terminal cannot be opened');
      const { body, type } = errorBody('problem', { status, detail: message });
      if (!socket.destroyed) refuseUpgrade(socket, { status, body, headers: { ...headers, 'Content-Type': type } });
    });
  };
}

interface Admitted {
  readonly caller: Caller;
  readonly worker: Worker;
  readonly services: ControlledServices;
}

/** @throws Refusal */
async function admit(
  incoming: IncomingMessage,
  { instance, port, publicUrl }: Pick<TerminalOptions, 'instance' | 'port' | 'publicUrl'>,
): Promise<Admitted> {
  checkHost(incoming, port(), publicUrl);
  const services = instance();
  const { authenticator, engine } = services;
  const caller = await authenticator.authenticate(incoming.headers);
  const { endpointId, workerId } = workerOfTerminal(incoming.url ?? '') ?? { endpointId: '', workerId: '' };
  checkAccess(caller, permissionFor(operations.updateEndpoint), endpointId);
  const endpoint = caller.isPlatformOwner
    ? engine.endpoint(endpointId)
    : endpointsOf(engine, caller.accountId).get(endpointId);
  const worker = endpoint.worker(workerId);
  if (!worker) throw notFound(`worker '${workerId}'`);
  return { caller, worker, services };
}

interface Terminal extends Admitted, Pick<TerminalOptions, 'realClock' | 'log'> {
  readonly incoming: IncomingMessage;
}

/** Connects a shell with a WebSocket until one of them ends. */
async function run(socket: WebSocket, terminal: Terminal): Promise<void> {
  const { caller, worker, services, realClock: clock, log, incoming } = terminal;
  const over = new AbortController();
  const finish = (end: TerminalEnd): void => {
    socket.send(JSON.stringify(end), () => undefined);
    socket.close(NORMAL);
  };
  socket.on('error', () => undefined);
  socket.on('close', () => over.abort(new Error('the terminal was closed')));
  keepAlive(socket, clock);
  const unwatch = services.authenticator.watch(incoming.headers, caller, () => {
    finish({ event: 'revoked' });
    over.abort(new Error('the key is no longer valid'));
  });
  // Messages wait for the shell.
  socket.pause();
  try {
    const who = nameOf(services, incoming, caller);
    const shell = await openShell(worker, { who, size: sizeIn(incoming), clock }, over.signal);
    receive(socket, shell);
    await deliver(socket, shell);
    const end = await shell.ended;
    if (!over.signal.aborted) finish(end);
  } catch (error) {
    if (over.signal.aborted) return;
    if (!(error instanceof ShellError)) log.error({ err: error }, 'a terminal failed');
    const { problem, message } = error instanceof ShellError ? error : { problem: 'other', message: INTERNAL_ERROR };
    finish({ event: 'failed', problem, reason: message });
  } finally {
    unwatch();
    socket.resume();
  }
}

/** Sends the input of the client to the shell, and changes the size of its terminal. */
function receive(socket: WebSocket, { stdin, resize }: Shell): void {
  let size: TerminalSize | undefined;
  let isResizing = false;
  const resizeAll = async (): Promise<void> => {
    isResizing = true;
    for (let next = size; next; next = size) {
      size = undefined;
      await resize(next).catch(() => undefined);
    }
    isResizing = false;
  };
  stdin.once('close', () => socket.resume());
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) {
      size = TerminalSize.safeParse(parseJson(data.toString())).data ?? size;
      if (!isResizing) void resizeAll();
    } else if (!stdin.destroyed && !stdin.write(data) && !socket.isPaused) {
      // Messages that have arrived already follow nevertheless.
      socket.pause();
      stdin.once('drain', () => socket.resume());
    }
  });
  socket.resume();
}

/** Sends the output of the shell. Resolves once it has ended, even if it was cut off. */
async function deliver(socket: WebSocket, { stdout }: Shell): Promise<void> {
  try {
    for await (const chunk of stdout as AsyncIterable<Buffer>) {
      await new Promise((resolve) => socket.send(chunk, { binary: true }, resolve));
    }
  } catch {
    // The end of the shell has the cause.
  }
}

function sizeIn({ url = '' }: IncomingMessage): TerminalSize {
  const query = new URLSearchParams(url.split('?')[1] ?? '');
  const [columns, rows] = [query.get(TERMINAL_QUERY.columns), query.get(TERMINAL_QUERY.rows)].map(Number);
  return TerminalSize.safeParse({ columns, rows }).data ?? DEFAULT_TERMINAL_SIZE;
}

/** Returns the name of the caller for logs. */
function nameOf({ accounts }: ControlledServices, { headers }: IncomingMessage, caller: Caller): string {
  if (caller.isPlatformOwner) return 'the owner of the platform';
  const account = accounts.list().find(({ id }) => id === caller.countedAs)?.name ?? caller.countedAs;
  const id = apiKeyId(/^Bearer +(.*)$/i.exec(headers.authorization?.trim() ?? '')?.[1] ?? '');
  const key = id === undefined ? undefined : accounts.keys().find((one) => one.id === id)?.name;
  return key === undefined ? account : `${account} (key ${key})`;
}
