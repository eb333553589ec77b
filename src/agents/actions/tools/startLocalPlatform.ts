import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { agentTool, type ToolContext } from '../agentTool.ts';

export const startLocalPlatform = agentTool({
  name: 'start_local_platform',
  title: 'Start Local Platform',
  summary: 'Starts the free local platform and connects to it.',
  icon: 'play-circle',
  description:
    'Starts the local platform on this machine, or joins the one that runs, and makes it the current platform. It has endpoints, jobs, workers, logs, and bills like a hosted platform, works offline, and costs nothing. ' +
    'Call it when a tool reports notConnected, and before you test an endpoint for the first time. Its endpoints and jobs of earlier sessions are still there. Next, call list_endpoints or create_endpoint.',
  input: z.strictObject({}),
  effect: 'change',
  commands: ['cloudCompute.localPlatform.start'],
  progress: () => l10n.t('Starting the local platform'),
  confirm: (_, context) =>
    Promise.resolve(
      isCurrent(context)
        ? undefined
        : {
            title: l10n.t('Start the local platform, and use it as the current platform?'),
            lines: [
              l10n.t(
                'It runs on this machine and costs nothing. Endpoints of earlier sessions with a minimum number of workers start these workers again.',
              ),
            ],
          },
    ),
  run: async (_, context) => {
    await context.localPlatform.start();
    const { name, host } = context.connection();
    return { running: true, connection: name, host };
  },
});

function isCurrent(context: ToolContext): boolean {
  return context.localPlatform.isRunning && context.connection().isLocal;
}
