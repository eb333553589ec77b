// Sends requests that no worker answers, and cancels them when standard input ends.
// Reads { url, headers, count } as one line of JSON from standard input.
import { Agent, get } from 'node:http';
import process from 'node:process';

const agent = new Agent({ keepAlive: true });
const { url, headers, count } = JSON.parse(await new Promise((resolve) => process.stdin.once('data', resolve)));
for (let sent = 0; sent < count; sent++)
  get(url, { headers, agent }, (response) => response.resume()).on('error', () => undefined);
process.stdin.on('end', () => process.exit()).resume();
