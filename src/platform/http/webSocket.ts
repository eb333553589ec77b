import type { WebSocket } from 'ws';
import type { Clock } from '../time/clock.ts';

/* Loaded with `import()`, because few platforms need the library. */
export { WebSocket, WebSocketServer } from 'ws';

/** Time between two pings, in ms. Some proxies drop a connection without traffic after a minute. */
const PING_MS = 30_000;

/** Sends pings until the connection is closed. @param clock waits in real time */
export function keepAlive(socket: WebSocket, clock: Clock): void {
  const cancel = clock.after(PING_MS, () => {
    socket.off('close', cancel);
    if (socket.readyState !== socket.OPEN) return;
    socket.ping(() => undefined);
    keepAlive(socket, clock);
  });
  socket.once('close', cancel);
}
