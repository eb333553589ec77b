import { connect } from 'node:net';

/** Tells the benchmark of each job that is done how long it took, in ms, from being submitted to being in the worker's hands. */
export function openTally() {
  const socket = connect(Number(process.env.TALLY_PORT), '127.0.0.1');
  socket.on('error', () => process.exit());
  return { since: (at) => Date.now() - at, done: (latency) => socket.write(`${latency}\n`) };
}
