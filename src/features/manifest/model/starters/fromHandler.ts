import path from 'node:path';
import * as l10n from '@vscode/l10n';
import type { EndpointType } from '../../../../contract/endpointSettings.ts';
import { ROUTE_ENVIRONMENT } from '../../../../contract/route.ts';
import {
  exampleImage,
  hardwareSection,
  headSection,
  localSection,
  newLocalSettings,
  NEW_PORT,
  PORT_COMMENT,
  routeVariables,
  scalingSection,
  workersSection,
  type Section,
} from './section.ts';
import type { Handler } from './detectHandler.ts';

export interface HandlerSource {
  readonly name: string;
  /** Folder of the worker, relative to the new file. */
  readonly directory: string;
  /** Python interpreter: a name, or a path relative to the folder of the worker. */
  readonly python: string;
}

/** Returns the sections of an endpoint that runs a worker of the workspace. A hosted platform needs an image in addition. */
export function handlerSections(handler: Handler, { name, directory, python }: HandlerSource): Section[] {
  const type: EndpointType = handler.kind === 'server' ? 'LOAD_BALANCER' : 'QUEUE';
  const hardware = handler.usesGpu ? 'gpu' : 'cpu';
  const port = handler.readsPort ? NEW_PORT : handler.port;
  return [
    headSection(l10n.t('An endpoint that runs a worker of this workspace.'), name, type),
    scalingSection(type),
    workersSection(),
    {
      comment: [l10n.t('A hosted platform runs a container image of the worker. Set its reference here:')],
      fields: {},
      proposed: { image: exampleImage(name) },
    },
    hardwareSection(hardware),
    ...(type === 'LOAD_BALANCER' ? serverSections(handler, port) : []),
    localSection(directory, commandOf(handler, python), newLocalSettings(hardware)),
  ];
}

function serverSections({ readsPort, healthPath }: Handler, port: number | undefined): Section[] {
  const missing = l10n.t(
    'The server must listen on the port in PORT. The local platform sets it to a free port for each worker.',
  );
  if (port === undefined) return [{ comment: [missing], fields: {} }];
  const env = routeVariables(port, healthPath ?? ROUTE_ENVIRONMENT.healthPath.default);
  return [{ comment: readsPort ? PORT_COMMENT : [missing], fields: { ports: [`${port}/http`], env } }];
}

/** Returns the command as one line, or as a list of words if a word needs quotes. */
function commandOf(handler: Handler, python: string): string | readonly string[] {
  const words = wordsOf(handler, python);
  return words.every((word) => /^[\w@%+=:,./-]+$/.test(word)) ? words.join(' ') : words;
}

function wordsOf({ language, file, app }: Handler, python: string): readonly string[] {
  if (language === 'node') return ['node', file];
  if (!app) return [python, '-u', file];
  const module = path.posix.parse(file).name;
  const where = `host='127.0.0.1', port=int(os.environ['${ROUTE_ENVIRONMENT.port.name}'])`;
  const program =
    app.framework === 'flask'
      ? `import os; from ${module} import ${app.variable}; ${app.variable}.run(${where})`
      : `import os, uvicorn; uvicorn.run('${module}:${app.variable}', ${where})`;
  return [python, '-u', '-c', program];
}
