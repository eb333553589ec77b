import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';

/** A connection to debugpy with the Debug Adapter Protocol. */
export interface DebugAdapter {
  /**
   * Attaches to the process, with a breakpoint on the line of the file that contains the text.
   *
   * @param remoteRoot path of the file's directory in a container; default: that on this machine
   */
  attach(file: string, text: string, remoteRoot?: string): Promise<void>;
  /** Attaches to the process. @param exceptions arguments of the request `setExceptionBreakpoints` */
  attachToExceptions(exceptions: object): Promise<void>;
  /** Resolves with the name of the function in which the process has stopped, once it has. */
  stopped(): Promise<string>;
  /** Resolves with the line of the function in which the process has stopped, once it has. */
  stoppedAt(): Promise<number>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

interface Message {
  readonly type: 'response' | 'event';
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly event?: string;
  readonly body?: unknown;
}

const HEADER_END = '\r\n\r\n';

export async function connectToAdapter(port: number): Promise<DebugAdapter> {
  const socket = connect({ host: '127.0.0.1', port });
  await once(socket, 'connect');
  const answers = new Map<number, (message: Message) => void>();
  const events: Message[] = [];
  const waiting: { readonly name: string; readonly resolve: (message: Message) => void }[] = [];
  let received = Buffer.alloc(0);
  let last = 0;
  const handle = (message: Message): void => {
    if (message.type === 'response') answers.get(message.request_seq ?? 0)?.(message);
    else {
      const at = waiting.findIndex(({ name }) => name === message.event);
      if (at === -1) events.push(message);
      else waiting.splice(at, 1)[0]?.resolve(message);
    }
  };
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = received.indexOf(HEADER_END);
      const length = Number(/Content-Length: (\d+)/.exec(received.subarray(0, Math.max(end, 0)).toString())?.[1]);
      const start = end + HEADER_END.length;
      if (end === -1 || received.length < start + length) return;
      handle(JSON.parse(received.subarray(start, start + length).toString()) as Message);
      received = received.subarray(start + length);
    }
  });
  const send = async (command: string, args: object = {}): Promise<unknown> => {
    const seq = ++last;
    const answer = new Promise<Message>((resolve) => answers.set(seq, resolve));
    const text = JSON.stringify({ seq, type: 'request', command, arguments: args });
    socket.write(`Content-Length: ${Buffer.byteLength(text)}${HEADER_END}${text}`);
    const { success, message, body } = await answer;
    if (success !== true) assert.fail(`${command}: ${message}`);
    return body;
  };
  const event = (name: string): Promise<Message> => {
    const at = events.findIndex((one) => one.event === name);
    const found = at === -1 ? undefined : events.splice(at, 1)[0];
    return found ? Promise.resolve(found) : new Promise((resolve) => waiting.push({ name, resolve }));
  };
  let threadId = 0;
  const attach = async (options: object, configure: () => Promise<unknown>): Promise<void> => {
    await send('initialize', { adapterID: 'test', pathFormat: 'path', linesStartAt1: true });
    const attached = send('attach', options);
    await event('initialized');
    await configure();
    await send('configurationDone');
    await attached;
  };
  const topFrame = async (): Promise<{ readonly name: string; readonly line: number } | undefined> => {
    ({ threadId } = (await event('stopped')).body as { threadId: number });
    const { stackFrames } = (await send('stackTrace', { threadId })) as {
      stackFrames: { name: string; line: number }[];
    };
    return stackFrames[0];
  };
  return {
    attach: async (file, text, remoteRoot) => {
      const line = (await readFile(file, 'utf8')).split('\n').findIndex((one) => one.includes(text)) + 1;
      const mapped = remoteRoot !== undefined && { pathMappings: [{ localRoot: path.dirname(file), remoteRoot }] };
      await attach({ justMyCode: false, ...mapped }, () =>
        send('setBreakpoints', { source: { path: file }, breakpoints: [{ line }] }),
      );
    },
    attachToExceptions: (exceptions) => attach({ justMyCode: true }, () => send('setExceptionBreakpoints', exceptions)),
    stopped: async () => (await topFrame())?.name ?? '',
    stoppedAt: async () => (await topFrame())?.line ?? 0,
    resume: async () => {
      await send('continue', { threadId });
    },
    close: async () => {
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    },
  };
}
