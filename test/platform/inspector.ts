import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A connection to the inspector of a Node.js process. */
export interface Inspector {
  /**
   * Sets a breakpoint on the line of a loaded script that contains the text.
   *
   * @param name end of the script's path
   * @param file path of the script on this machine; default: that of the script
   */
  breakAt(name: string, text: string, file?: string): Promise<void>;
  /** Resolves with the name of the function in which the process is paused, once it is. */
  paused(): Promise<string>;
  resume(): Promise<void>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

export async function connectToInspector(port: number): Promise<Inspector> {
  const response = await fetch(`http://127.0.0.1:${port}/json/list`);
  const [target] = (await response.json()) as { webSocketDebuggerUrl: string }[];
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? assert.fail('the inspector has no target'));
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const pending = new Map<number, (message: Message) => void>();
  const scripts = new Map<string, string>();
  const stops: string[] = [];
  let onStop: ((name: string) => void) | undefined;
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) pending.get(message.id)?.(message);
    if (message.method === 'Debugger.scriptParsed') {
      const { url, scriptId } = message.params as { url: string; scriptId: string };
      scripts.set(url, scriptId);
    }
    if (message.method === 'Debugger.paused') {
      const { callFrames } = message.params as { callFrames: { functionName: string }[] };
      const name = callFrames[0]?.functionName ?? '';
      if (onStop) onStop(name);
      else stops.push(name);
      onStop = undefined;
    }
  });
  const send = async (method: string, params: object = {}): Promise<void> => {
    const id = ++last;
    const answer = new Promise<Message>((resolve) => pending.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { error } = await answer;
    if (error) assert.fail(`${method}: ${error.message}`);
  };
  await send('Debugger.enable');
  return {
    breakAt: async (name, text, file) => {
      const url = [...scripts.keys()].find((one) => one.endsWith(name)) ?? assert.fail(`${name} is not loaded`);
      const lines = (await readFile(file ?? fileURLToPath(url), 'utf8')).split('\n');
      const lineNumber = lines.findIndex((line) => line.includes(text));
      const columnNumber = lines[lineNumber]?.indexOf(text);
      await send('Debugger.setBreakpointByUrl', { url, lineNumber, columnNumber });
    },
    paused: () => {
      const name = stops.shift();
      return name === undefined ? new Promise((resolve) => (onStop = resolve)) : Promise.resolve(name);
    },
    resume: () => send('Debugger.resume'),
    close: async () => {
      const closed = new Promise((resolve) => socket.addEventListener('close', resolve, { once: true }));
      socket.close();
      await closed;
    },
  };
}
