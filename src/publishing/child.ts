/** The child process of a publication or a load: it runs the task of each request. */
import { serveRequests } from '../lib/child-process.ts';
import { startHelper } from './helper-process.ts';
import type { PublishRequest } from './publish-request.ts';

type Task = (...args: never[]) => unknown;

/** The code of a task is loaded when it is needed. */
const TASKS = {
  publish: () => async (request: PublishRequest) => {
    const helper = startHelper(request.live); // it starts while this process loads its own code
    return (await import('./publish.ts')).publish(request, helper);
  },
  'fill-tables': async () => (await import('./build.ts')).buildApart,
  'check-pages': async () => (await import('./check.ts')).checkPages,
  'load-target': async () => (await import('./targets/load-target.ts')).loadTarget,
  'write-slices': async () => (await import('./targets/delta/files.ts')).writeForParent,
};

serveRequests(async ({ task, args }: { task: keyof typeof TASKS; args: never[] }) => {
  const run: Task = await TASKS[task]();
  return run(...args);
});
