/*
 * Programs that run beside a worker, with the interpreter of its image. They use only its standard library, of any version that still runs
 * workers.
 */

/** Prints the processes of the container as JSON. The program is the path of the executable; the first argument, the name it was called by. */
export const FIND_PROCESSES_NODE = `
const fs = require('fs');
const link = (path, other) => { try { return fs.readlinkSync(path); } catch (error) { return other; } };
const found = [];
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  try {
    const stat = fs.readFileSync('/proc/' + pid + '/stat', 'utf8');
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    const args = fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').split('\\0').slice(0, -1);
    const program = link('/proc/' + pid + '/exe', args[0] || '');
    found.push({ pid: Number(pid), parent, program, args, directory: link('/proc/' + pid + '/cwd', '/') });
  } catch (error) {}
}
console.log(JSON.stringify(found));
`;

export const FIND_PROCESSES_PYTHON = `
import json, os

def link(path, other):
    try:
        return os.readlink(path)
    except OSError:
        return other

found = []
for pid in [name for name in os.listdir('/proc') if name.isdigit()]:
    try:
        with open('/proc/' + pid + '/stat', errors='replace') as file:
            stat = file.read()
        with open('/proc/' + pid + '/cmdline', errors='replace') as file:
            args = file.read().split('\\0')[:-1]
    except OSError:
        continue
    parent = int(stat[stat.rindex(')') + 2:].split(' ')[1])
    program = link('/proc/' + pid + '/exe', args[0] if args else '')
    directory = link('/proc/' + pid + '/cwd', '/')
    found.append({'pid': int(pid), 'parent': parent, 'program': program, 'args': args, 'directory': directory})
print(json.dumps(found))
`;

/**
 * Asks a process of Node.js for its inspector, and prints the port. The inspector can have any port, such as after \`--inspect=0\`, so it is
 * looked for among the ports of the process: first those that are new.
 */
export const OPEN_INSPECTOR = `
const fs = require('fs');
const http = require('http');
const pid = process.argv[1];
const portsOf = () => {
  const sockets = new Set();
  for (const file of fs.readdirSync('/proc/' + pid + '/fd')) {
    try {
      const socket = /^socket:\\[([0-9]+)\\]$/.exec(fs.readlinkSync('/proc/' + pid + '/fd/' + file));
      if (socket) sockets.add(socket[1]);
    } catch (error) {}
  }
  const ports = [];
  for (const table of ['tcp', 'tcp6']) {
    try {
      for (const line of fs.readFileSync('/proc/' + pid + '/net/' + table, 'utf8').split('\\n').slice(1)) {
        const words = line.trim().split(/ +/);
        if (words[3] === '0A' && sockets.has(words[9])) ports.push(parseInt(words[1].split(':')[1], 16));
      }
    } catch (error) {}
  }
  return ports;
};
const isInspector = (port) => new Promise((resolve) => {
  const request = http.get({ host: '127.0.0.1', port, path: '/json/version', timeout: 1000 }, (response) => {
    let text = '';
    response.on('data', (chunk) => { text += chunk; });
    response.on('end', () => { try { resolve('Protocol-Version' in JSON.parse(text)); } catch (error) { resolve(false); } });
  });
  request.on('timeout', () => request.destroy());
  request.on('error', () => resolve(false));
});
(async () => {
  const before = portsOf();
  process.kill(Number(pid), 'SIGUSR1');
  for (let tries = 0; tries < 150; tries++) {
    const ports = portsOf();
    const fresh = ports.filter((port) => !before.includes(port));
    for (const port of tries < 5 ? fresh : ports) {
      if (await isInspector(port)) return console.log(port);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  process.exitCode = 1;
})();
`;

/** Connects its standard streams with a port of the container. */
export const RELAY_NODE = `
const socket = require('net').connect(Number(process.argv[1]), '127.0.0.1');
process.stdin.pipe(socket).pipe(process.stdout);
socket.on('error', () => process.exit(1));
socket.on('close', () => process.exit(0));
`;

export const RELAY_PYTHON = `
import os, socket, sys, threading

connection = socket.create_connection(('127.0.0.1', int(sys.argv[1])))

def send():
    while True:
        data = os.read(0, 65536)
        if not data:
            break
        connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)

threading.Thread(target=send, daemon=True).start()
while True:
    data = connection.recv(65536)
    if not data:
        break
    while data:
        data = data[os.write(1, data):]
os._exit(0)
`;
