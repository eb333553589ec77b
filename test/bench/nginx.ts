import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort } from '../../scripts/editor/freePort.ts';
import { temporaryFolder } from './children.ts';
import { startServer, succeeds } from './servers.ts';

/** Starts nginx as a proxy for a port of this machine, in one process. Undefined if nginx is not installed. */
export async function startNginx(upstream: number) {
  if (!(await succeeds('nginx', ['-v']))) return undefined;
  const folder = temporaryFolder();
  const port = await freePort();
  const settings = path.join(folder, 'nginx.conf');
  await writeFile(settings, settingsOf(folder, port, upstream));
  const { stop, pid } = await startServer('nginx', ['-c', settings, '-p', folder], port, 'SIGQUIT');
  return { url: `http://127.0.0.1:${port}/`, pid, stop };
}

const settingsOf = (folder: string, port: number, upstream: number): string => `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr error;
events {}
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  upstream worker {
    server 127.0.0.1:${upstream};
    keepalive 64;
    keepalive_requests 1000000;
  }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://worker;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
