/** Resolves after events that are already waiting. */
export const setImmediate = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const onMessage = (): void => {
      port1.close();
      resolve();
    };
    Object.assign(port1, { onmessage: onMessage });
    port2.postMessage(undefined);
  });
