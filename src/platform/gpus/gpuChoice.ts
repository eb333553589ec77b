/**
 * GPUs of this machine for workers. `auto`: those that are discovered. `none`: none, so GPU endpoints cannot run. `ignore`: GPU endpoints run
 * without GPUs. A list: these GPUs, by index or UUID.
 */
export type GpuChoice = 'auto' | 'none' | 'ignore' | readonly string[];
