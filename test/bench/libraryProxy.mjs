// A proxy of the most used library for Node.js, which keeps its connections to the port in UPSTREAM. Prints its address.
import { Agent, createServer } from 'node:http';
import { createProxyServer } from 'http-proxy-3';

const agent = new Agent({ keepAlive: true });
const proxy = createProxyServer({ target: `http://127.0.0.1:${process.env.UPSTREAM}`, agent });
const server = createServer((incoming, response) => void proxy.web(incoming, response));
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
process.stdin.on('end', () => process.exit()).resume();
