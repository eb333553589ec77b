import { connect } from 'node:net';

/** Opens a connection to the benchmark. Reports for each completed job the time from submission to start, in ms. */
export function openTally() {
  const socket = connect(Number(process.env.TALLY_PORT), '127.0.0.1');
  socket.on('error', () => process.exit());
  return { since: (at) => Date.now() - at, done: (latency) => socket.write(`${latency}\n`) };
}
