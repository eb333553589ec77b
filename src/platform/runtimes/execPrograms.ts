import { newToken } from '../ids.ts';
import type { ExecRequest } from './runtime.ts';

/*
 * Programs that run beside a worker, with the interpreter of its image. They use only its standard library, of any version that still runs
 * workers.
 */

/** Name of the variable of the programs beside a worker. */
const EXEC_VARIABLE = 'CLOUD_COMPUTE_EXEC';

/*
 * The next two print the processes of the container as JSON. The program is the path of the executable; the first argument, the name it was
 * called by. They omit the programs that run beside the worker, and the other containers of a pod, whose processes are visible.
 */

export const FIND_PROCESSES_NODE = `
const fs = require('fs');
const or = (read, other) => { try { return read(); } catch (error) { return other; } };
const link = (path, other) => or(() => fs.readlinkSync(path), other);
const files = link('/proc/self/ns/mnt', '');
const found = [];
for (const pid of fs.readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name))) {
  try {
    const text = (name) => fs.readFileSync('/proc/' + pid + '/' + name, 'utf8');
    if (Number(pid) === process.pid || link('/proc/' + pid + '/ns/mnt', files) !== files) continue;
    if (or(() => text('environ'), '').includes('${EXEC_VARIABLE}=')) continue;
    const stat = text('stat');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const args = text('cmdline').split('\\0').slice(0, -1);
    const program = link('/proc/' + pid + '/exe', args[0] || '');
    const directory = link('/proc/' + pid + '/cwd', '/');
    found.push({ pid: Number(pid), parent: Number(fields[1]), started: Number(fields[19]), program, args, directory });
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

def text(pid, name):
    with open('/proc/' + pid + '/' + name, errors='replace') as file:
        return file.read()

def environ(pid):
    try:
        return text(pid, 'environ')
    except OSError:
        return ''

files = link('/proc/self/ns/mnt', '')
found = []
for pid in [name for name in os.listdir('/proc') if name.isdigit()]:
    if int(pid) == os.getpid() or link('/proc/' + pid + '/ns/mnt', files) != files:
        continue
    if '${EXEC_VARIABLE}=' in environ(pid):
        continue
    try:
        stat = text(pid, 'stat')
        args = text(pid, 'cmdline').split('\\0')[:-1]
    except OSError:
        continue
    fields = stat[stat.rindex(')') + 2:].split(' ')
    program = link('/proc/' + pid + '/exe', args[0] if args else '')
    directory = link('/proc/' + pid + '/cwd', '/')
    found.append({'pid': int(pid), 'parent': int(fields[1]), 'started': int(fields[19]), 'program': program, 'args': args, 'directory': directory})
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

/*
 * Processes of programs beside workers. Engines do not end a program whose connection is closed, and do not tell the number of its process
 * inside the container. So the program and its descendants carry a variable, and another program kills all processes that have it.
 */

/** Type of the terminals, as `TERM` names it. */
const TERMINAL = 'TERM=xterm-256color';

/** Environment of a program that identifies its processes. */
export interface ExecMark {
  /** As `NAME=value`, for the program and its descendants. */
  readonly variable: string;
  /** Kills all processes with the variable. Needs `sh` and `grep` in the image. */
  readonly killCommand: readonly string[];
}

/** Passes over the processes, because a process can create another one during a pass. */
const PASSES = [1, 2, 3, 4, 5];

export function newExecMark(): ExecMark {
  const variable = `${EXEC_VARIABLE}=${newToken()}`;
  const script = `for pass in ${PASSES.join(' ')}; do
  found=
  for process in /proc/[0-9]*; do
    grep -qF "$0" "$process/environ" 2>/dev/null && kill -9 "\${process#/proc/}" 2>/dev/null && found=1
  done
  [ -n "$found" ] || exit 0
done`;
  return { variable, killCommand: ['sh', '-c', script, variable] };
}

/** Returns the variables of a program, each as `NAME=value`. */
export function execVariables({ terminal }: ExecRequest, { variable }: ExecMark): string[] {
  return terminal ? [variable, TERMINAL] : [variable];
}
